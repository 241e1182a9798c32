package main

import "fmt"

type P struct {
	n    int
	p    *P
	list []int
	m    map[string]int
	any  any
	f    func()
	arr  *[2]int
}

var gpp *P

var _ = part(func() {
	var nilP *P
	p := &P{}
	try("read", func() { _ = nilP.n })
	try("write", func() { nilP.n = 1 })
	try("update", func() { nilP.n++ })
	try("chain", func() { p.p.n = 1 })
	try("global", func() { gpp.n = 1 })
	try("index", func() { _ = p.list[5] })
	try("store", func() { p.list[p.n] = 1 })
	try("map", func() { p.m["a"] = 1 })
	try("map update", func() { p.m["a"]++ })
	try("assert", func() { _ = p.any.(int) })
	try("call", func() { p.f() })
	try("defer", func() { defer p.f() })
	try("array", func() { p.arr[1] = 1 })
	try("range", func() {
		for _, v := range p.arr {
			_ = v
		}
	})
	try("divide", func() { p.n /= p.n })
	try("shift", func() { p.n = -1; p.n <<= p.n })
	try("key", func() { map[any]int{}[p.list] = 1 })
	try("value first", func() { nilP.n = next() })
	fmt.Println("calls", count)
	try("deref", func() { *nilP = P{} })
	try("copy", func() { _ = *nilP })
	try("slice", func() { _ = p.list[1:] })
	try("user", func() { p.any = fmt.Sprint("x"); panic(p.any) })
})
