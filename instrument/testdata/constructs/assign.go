package main

import (
	"errors"
	"fmt"
	"io"
)

type T struct {
	n, m  int
	s     string
	f     float64
	e     error
	any   any
	next  *T
	list  []int
	table map[string]int
	arr   [3]int
	fn    func() int
	ch    chan int
	flag  Flag
	u8    uint8
	bytes []byte
	inner struct{ a, b int }
}

type Flag bool

type myErr struct{}

func (*myErr) Error() string { return "myErr" }

var (
	g     T
	count int
	gp    = &T{}
)

func next() int { count++; return count }

func two() (int, error)       { return next(), io.EOF }
func concrete() (int, *myErr) { return 5, nil }

var _ = part(func() {
	t := &T{}
	t.n = 1
	t.n = t.n + 1
	t.n, t.m = t.m, t.n
	t.n, t.m = t.m+next(), t.n+next()
	t.any = nil
	t.any = 1.5
	t.any = t
	t.any = int8(3)
	t.e = nil
	t.e = &myErr{}
	t.f = 1
	t.f = 1 << 3
	t.u8 = 1 << t.m
	t.flag = t.n == t.m
	t.flag, t.n = t.m > 0, 3
	t.s = "x"
	t.arr = [3]int{1, 2, 3}
	t.arr[t.arr[0]] = 7
	t.inner = struct{ a, b int }{1, 2}
	t.inner.a, t.inner.b = t.inner.b, t.inner.a
	*t = T{n: t.m, m: t.n, inner: t.inner, arr: t.arr}
	fmt.Println(t.n, t.m, t.any, t.e, t.f, t.u8, t.flag, t.s, t.arr, t.inner)
})

var _ = part(func() {
	t := &T{}
	t.n, t.e = two()
	fmt.Println(t.n, t.e)
	t.any, t.e = concrete()
	fmt.Println(t.any, t.e == nil) // a nil *myErr is no nil error
	_, t.e = two()
	t.n, _ = two()
	var local int
	local, t.e = two()
	fmt.Println(t.n, t.e, local)
	if t.n, t.e = two(); t.e != nil {
		fmt.Println("if", t.n)
	} else if t.m, t.e = two(); t.m > 0 {
		fmt.Println("else")
	}
	switch t.n, t.e = two(); t.n {
	default:
		fmt.Println("switch", t.n)
	}
	switch t.n, t.e = two(); {
	case t.n > 0:
		fmt.Println("switch", t.n)
	}
	switch t.any, t.e = two(); x := t.any.(type) {
	case int:
		fmt.Println("type switch", x)
	}
outer:
	for t.n, t.m = 0, 3; t.n < t.m; t.n, t.m = t.n+1, t.m-1 {
		for {
			continue outer
		}
	}
	fmt.Println(t.n, t.m)
	i, a := 0, []int{5, 6, 7}
	i, a[i] = 2, 9 // the old i
	a[i], i = 4, 0
	fmt.Println(i, a)
	g.list = a
	gp, gp.next = &T{n: 3}, gp
	fmt.Println(gp.n, gp.next == nil)
	t.ch = make(chan int, 2)
	t.ch <- 4
	var flag Flag
	t.n, flag = <-t.ch
	fmt.Println(t.n, flag)
	t.table = map[string]int{"a": 1}
	t.n, t.flag = t.table["a"]
	fmt.Println(t.n, t.flag)
	t.m, t.flag = t.table["z"]
	fmt.Println(t.m, t.flag)
	t.any = "text"
	t.s, t.flag = t.any.(string)
	fmt.Println(t.s, t.flag)
})

// Locations are evaluated after the calls of the value, as gc does.
var _ = part(func() {
	t := &T{list: make([]int, 1)}
	grow := func() int { t.list = append(t.list, 0); return len(t.list) }
	g.next = t
	g.next.list[0] = grow()
	t.list[0], t.n = grow(), 1
	t.list[len(t.list)-1] = 8
	t.list[grow()-1] += 3
	fmt.Println(t.list)
	fill := func() int { t.table = map[string]int{}; return 1 }
	t.table["a"] = fill()
	t.table["b"], t.n = fill(), 1
	t.table["c"] += fill()
	fmt.Println(len(t.table), t.n)
	key := func() string { t.table = map[string]int{}; return "k" }
	t.table[key()] = fill()
	t.table[key()] = 5
	fmt.Println(t.table)
	sum := 0
	var walk func(int) int
	walk = func(n int) int {
		if n > 0 {
			sum += walk(n - 1)
			sum++
		}
		return n
	}
	walk(4)
	fmt.Println(sum)
})

var _ = part(func() {
	var err error
	check := func() { fmt.Println("err", err) }
	a, err := two()
	check()
	b, err := 1, errors.New("b")
	check()
	var x int64
	show := func() { fmt.Println(x) }
	c, x := 1, 2
	show()
	s := 3
	d, x := 1, 1<<s
	show()
	var ok Flag
	showOK := func() { fmt.Println(ok) }
	m := map[int]int{1: 1}
	e, ok := m[1]
	showOK()
	p, err :=
		concrete()
	line("after")
	check()
	fmt.Println(a > 0, b, c, d, e, p)
})
