package main

import "fmt"

type meters float64
type name string

type U struct {
	i8 int8
	u  uint
	m  meters
	c  complex64
	s  name
	a  [2]int
	p  *U
	t  map[string]int
	f  map[string]float64
	st map[string]name
}

func (u *U) self() *U { count++; return u }

var gu U

var _ = part(func() {
	u := &U{u: 1, t: map[string]int{}, f: map[string]float64{}, st: map[string]name{}}
	u.p = u
	u.i8 += 100
	u.i8 += 100 // wraps
	u.u <<= 3
	u.u <<= 1.0
	u.u >>= uint8(1)
	u.u |= 0x100
	u.u &^= 8
	u.u ^= 'a'
	u.u &= 0xfff
	u.u %= 1000
	u.m += 1
	u.m *= 2.5
	u.m /= 2
	u.m -= meters(next())
	u.c += 1i
	u.c *= 2
	u.s += "a"
	u.s += name("b") + "c"
	u.a[next()%2]++
	u.self().u += uint(next())
	u.self().u++
	u.self().p.self().a[0]--
	u.p.p.p.i8--
	u.t["a"]++
	u.t["a"] += next()
	u.t[string(u.s)] -= 4
	u.t[fmt.Sprint(next())] |= 3
	u.f["x"] += 1
	u.f["x"] /= 4
	u.st["s"] += "t"
	u.st["s"] += u.s
	for i := 0; i < 4; i, u.i8 = i+1, u.i8+1 {
	}
	for ; u.i8 < 10; u.self().i8 += int8(1 + next()*0) {
	}
	for ; u.t["a"] < 9; u.t[fmt.Sprint("a")]++ {
	}
	gu.a[1]++
	gu.u += 2
	if gu.u++; gu.u > 2 {
		fmt.Println("gu", gu.u)
	}
	p := &gu.i8
	*p++
	*p <<= 2
	(*p) -= 1
	(gu.u) += 7
	x := [3]int{}
	q := &x
	q[1] += 4
	(*q)[2]++
	fmt.Println(u.self() == u.p, u.i8, u.u, u.m, u.c, u.s, u.a, u.t, u.f, u.st, gu.i8, gu.u, x)
	var shift uint = 3
	v := &struct{ u8 uint8 }{1}
	v.u8 += 1 << shift
	v.u8 += uint8(
		next() * 0) // lines stay
	line("update")
	fmt.Println(v.u8)
})

// The operand of an operation is evaluated before the variable is read.
var _ = part(func() {
	n := 0
	add := func() int { n += 10; return 1 }
	n += add()
	fmt.Println(n)
	s := []int{1}
	more := func() int { s = append(s, 5); return 2 }
	s[0] += more()
	fmt.Println(s)
})
