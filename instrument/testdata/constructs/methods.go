package main

import (
	"fmt"
	"sync"
)

type V struct{ n int }

func (v V) get() int   { return v.n }
func (v *V) set(n int) { v.n = n }

type E1 struct{ *V }
type E2 struct{ E1 }
type E3 struct {
	*E2
	sync.Mutex
	any interface{ get() int }
}

type vec []int

func (v vec) sum() (s int) {
	for _, x := range v {
		s += x
	}
	return
}
func (v *vec) push(n int) { *v = append(*v, n) }

type fn func(int) int

func (f fn) twice(n int) int { return f(f(n)) }

type H struct {
	v   V
	p   *V
	vec vec
	fn  fn
	pp  **V
}

var ge = E3{E2: &E2{E1{&V{1}}}}

var _ = part(func() {
	e := &E3{E2: &E2{E1{&V{1}}}}
	e.Lock()
	e.set(4)
	e.n++
	e.V.n += 2
	e.E2.E1.V.n *= 2
	e.any = e
	fmt.Println(e.get(), e.n, e.any.get())
	e.Unlock()
	ge.Lock()
	ge.set(ge.get() + 1)
	ge.n++
	ge.Unlock()
	fmt.Println(ge.n)
	h := &H{p: &V{2}, fn: func(n int) int { return n + 1 }}
	h.pp = &h.p
	h.v.set(3)
	h.p.set(h.v.get())
	(*h.pp).set((**h.pp).n + 1)
	h.vec.push(1)
	h.vec.push(2)
	get, set := h.p.get, h.p.set
	h.p.n = 10
	set(11)
	fmt.Println(h.v.get(), h.p.get(), get(), h.vec.sum(), h.vec[1], h.fn.twice(1), h.fn(2))
	f, k := V.get, (*V).set
	k(h.p, f(h.v))
	defer h.p.set(0)
	defer fmt.Println(h.p.get())
	m := map[string]*V{"a": {5}}
	m["a"].set(6)
	m["a"].n++
	ms := map[string]V{"a": {5}}
	fmt.Println(m["a"].get(), ms["a"].get(), ms["a"].n, h.fn.twice(m["a"].n))
	var i interface{ get() int } = h.p
	h.v.n = i.get()
	local := V{}
	local.set(2)
	local.n += 2
	lp := &local
	fmt.Println(local.get(), lp.get(), (*lp).n, (&local).get())
	fmt.Println(make2().get(), make2().n, (&H{p: lp}).p.n, []V{{4}}[0].n, [...]V{{1}, {2}}[1].n)
	try("nil method", func() { var p *V; p.get() })
	try("nil embedded", func() { var p E3; p.set(1) })
})

func make2() V { return V{n: 2} }
