package main

import (
	"cmp"
	"fmt"
)

type number interface{ ~int | ~float64 }

type Pair[K comparable, V any] struct {
	key  K
	val  V
	next *Pair[K, V]
	all  map[K]V
}

func (p *Pair[K, V]) set(k K, v V) {
	p.key, p.val = k, v
	p.all[k] = v
	if old, ok := p.all[k]; ok {
		p.next = &Pair[K, V]{key: k, val: old}
	}
	delete(p.all, k)
}

func sumOf[T number](p *T, list ...T) T {
	for _, v := range list {
		*p += v
	}
	*p++
	return *p
}

func each[S ~[]E, E any](s S, f func(E) E) S {
	for i, e := range s {
		s[i] = f(e)
	}
	s[0], s[len(s)-1] = s[len(s)-1], s[0]
	return s
}

func keys[M ~map[K]V, K cmp.Ordered, V any](m M) (n int) {
	for k := range m {
		m[k] = *new(V)
		n++
	}
	return n + len(m)
}

func length[T ~string | ~[]byte](t *T) (n int) {
	for range len(*t) {
		n++
	}
	if len(*t) > 0 {
		n += int((*t)[0])
	}
	return n
}

func deref[P ~*T, T any](p P) T { return *p }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return x, false
	}
	x, s.items = s.items[len(s.items)-1], s.items[:len(s.items)-1]
	return x, true
}

type getter interface{ get() int }

func getAll[G getter](gs []G) (n int) {
	for _, g := range gs {
		n += g.get()
	}
	return n + gs[0].get()
}

type names []string

var _ = part(func() {
	p := &Pair[string, error]{all: map[string]error{}}
	p.set("a", nil)
	fmt.Println(p.key, p.val, p.next.key, len(p.all))
	x := 1.5
	fmt.Println(sumOf(&x, 1, 2), sumOf[float64](&x))
	fmt.Println(each(names{"a", "b"}, func(s string) string { return s + "!" }))
	fmt.Println(keys(map[string]int{"a": 1}))
	s, b := "abc", []byte("x")
	fmt.Println(length(&s), length(&b), deref(&x))
	st := &Stack[int]{}
	st.Push(3)
	fmt.Println(st.Pop())
	fmt.Println(st.Pop())
	fmt.Println(getAll([]V{{1}, {2}}), getAll([]*V{{3}}))
	f := each[[]int, int]
	fmt.Println(f([]int{1, 2}, func(i int) int { return -i }))
})
