package main

import (
	"fmt"
	"unsafe"
)

type B struct {
	a, b  []byte
	s     string
	m     map[string][]int
	ch    chan int
	arr   [4]int
	c     complex128
	multi map[string]map[string]int
	any   map[any]any
}

const size = unsafe.Sizeof(B{}.arr)

var sizes [len(B{}.arr)]int

var _ = part(func() {
	b := &B{a: make([]byte, 3, 10), b: []byte("hello"), s: "text", m: map[string][]int{}, ch: make(chan int, 4)}
	fmt.Println(copy(b.a, b.b), copy(b.a, b.s), copy(b.a[1:], b.a), string(b.a))
	b.a = append(b.a, b.b...)
	b.a = append(b.a, b.s...)
	b.a = append(b.a, 'x', 'y')
	fmt.Println(string(b.a), len(b.a), cap(b.arr), len(b.arr), len(sizes), size, len(b.s))
	b.m["a"] = append(b.m["a"], 1, 2)
	b.m["a"][0]++
	b.m["a"][1], b.m["b"] = 5, []int{1}
	fmt.Println(b.m, len(b.m))
	b.ch <- 1
	fmt.Println(len(b.ch), cap(b.ch))
	clear(b.b)
	fmt.Println(b.b)
	delete(b.m, "a")
	delete(b.m, fmt.Sprint("b"))
	fmt.Println(len(b.m))
	clear(b.m)
	func() {
		defer delete(b.m, "c")
		defer clear(b.b)
		b.m["c"] = nil
	}()
	fmt.Println(len(b.m))
	b.c = complex(1, 2)
	fmt.Println(real(b.c), imag(b.c), min(b.arr[0], 3), max(len(b.a), 2))
	b.multi = map[string]map[string]int{"a": {}}
	b.multi["a"]["b"]++
	b.multi["a"]["b"] += 2
	b.multi["x"] = map[string]int{"y": 1}
	fmt.Println(b.multi, b.multi["none"]["none"])
	b.any = map[any]any{1: 2, "a": 'b'}
	b.any[next()] = 1
	b.any[fmt.Sprint("k")] = nil
	b.any[1.5], b.any[2] = 1, int8(2)
	v, ok := b.any[fmt.Sprint("k")]
	fmt.Println(b.any[1], len(b.any), v, ok)
	var x, present = b.any[fmt.Sprint("a")]
	fmt.Println(x, present)
	p := unsafe.Pointer(&b.arr[1])
	*(*int)(p) = 8
	*(*int)(unsafe.Add(p, unsafe.Sizeof(b.arr[0]))) = 9
	fmt.Println(b.arr, unsafe.Slice(&b.arr[0], 2), unsafe.String(&[]byte("ab")[0], 1), unsafe.Offsetof(b.arr) > 0)
	s := b.arr[1:3]
	s[0] = 1
	s = append(s, 4)
	fmt.Println(b.arr, s, b.s[1:], b.s[0], []byte(b.s)[1], len(b.s[2:]))
	sp := &s
	(*sp)[0] = 3
	*sp = (*sp)[:1]
	fmt.Println(s, len(*sp))
	arr := (*[2]int)(b.arr[2:])
	arr[0] = 7
	copied := [2]int(b.arr[2:])
	fmt.Println(*arr, copied)
})

// Names that are predeclared, or packages, elsewhere.
var _ = part(func() {
	len := func(x []byte) int { return 42 }
	atomic := struct{ AddInt32 func(*int, int) int }{func(p *int, n int) int { *p += n; return *p }}
	b := &B{}
	true, nil, int := false, 1, 2
	copy, append, string := 1, 2, "s"
	delete := func(m map[string_][]int_, k string_) { m[k] = []int_{1} }
	b.m = map[string_][]int_{}
	delete(b.m, "x")
	n := 1
	fmt.Println(len(b.a), true, nil, int, copy, append, string, b.m["x"][0], atomic.AddInt32(&n, 2))
})

type string_ = string
type int_ = int
