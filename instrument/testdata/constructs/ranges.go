package main

import (
	"fmt"
	"sort"
)

type R struct {
	items []int
	arr   [3]int
	ptr   *[3]int
	table map[string]int
	text  string
	ch    chan int
	k, v  int
	s     string
	r     rune
	u8    uint8
}

var _ = part(func() {
	r := &R{items: []int{3, 4, 5}, arr: [3]int{6, 7, 8}, text: "aé", table: map[string]int{"x": 1}, ch: make(chan int, 3)}
	r.ptr = &r.arr
	for i, v := range r.items {
		r.items[2] = 9 // seen by the loop
		v := v + i
		fmt.Print(v, " ")
	}
	for i, v := range r.arr {
		r.arr[2] = 9 // not seen: the loop has a copy
		fmt.Print(i, v, " ")
	}
	for i, v := range r.ptr {
		r.arr[2] = 11 // seen
		fmt.Print(i, v, " ")
	}
	for i := range r.ptr {
		fmt.Print(i)
	}
	var none *R
	for i := range none.arr { // only the length matters
		fmt.Print(i)
	}
	fmt.Println(len(none.arr), cap(none.arr))
	for r.k, r.v = range r.items {
		fmt.Print(r.k, r.v, " ")
	}
	for r.k, r.items[r.k%3] = range []int{1, 2, 1} {
	}
	fmt.Println(r.k, r.items)
	for r.k, r.v = range r.arr {
	}
	for r.k = range r.arr {
	}
	for _, r.v = range r.ptr {
	}
	fmt.Println(r.k, r.v)
	for r.k, r.r = range r.text {
		fmt.Print(r.k, r.r, " ")
	}
	for r.s, r.v = range r.table {
	}
	for r.s = range r.table {
	}
	fmt.Println(r.s, r.v)
	r.ch <- 1
	r.ch <- 2
	close(r.ch)
	for r.v = range r.ch {
		fmt.Print(r.v)
	}
	for r.v = range 3 {
		fmt.Print(r.v)
	}
	for r.u8 = range 3 {
		fmt.Print(r.u8)
	}
	for r.k, r.v = range func(yield func(int, int) bool) { _ = yield(1, 2) && yield(3, 4) } {
		fmt.Print(r.k, r.v)
	}
	for i := range r.k {
		fmt.Print(i)
	}
	fmt.Println()
outer:
	for i, v := range r.items {
		switch {
		case v == 2:
			continue outer
		case i == 2:
			break outer
		}
		for range r.items {
			continue outer
		}
	}
	n := 0
again:
	for _, v := range r.items {
		if n++; n < 5 {
			goto again
		}
		n += v
	}
	fmt.Println(n)
	for range r.items {
		n++
	}
	for i, _ := range r.items {
		n += i
	}
	for _, _ = range r.items {
		n++
	}
	fmt.Println(n)
	table := map[string]int{}
	for i, s := range []string{"a", "b", "c"} {
		table[s] = i
	}
	r.table = table
	var keys []string
	for k, v := range r.table {
		delete(r.table, k)
		keys = append(keys, fmt.Sprint(k, v))
	}
	sort.Strings(keys)
	fmt.Println(keys, len(r.table))
	var fs []func() int
	for i, v := range r.items {
		v += i
		fs = append(fs, func() int { i++; v++; return i*100 + v })
	}
	for i := 0; i < 2; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	for _, row := range [][]struct{ a int }{
		{{1}, {2}},
		{{3}},
	} {
		line("row")
		for _, cell := range row {
			fmt.Print(cell.a)
		}
	}
	for range []int{} {
	}
})

func find(list []*R, k int) *R {
	for _, r := range list {
		if r.k == k {
			return r
		}
	}
	return nil
}

func forever(r *R) int {
	for {
		for _, v := range r.items {
			return v
		}
	}
}

var _ = part(func() {
	a, b := &R{k: 1, items: []int{7}}, &R{k: 2}
	fmt.Println(find([]*R{a, b}, 2) == b, find(nil, 1), forever(a))
})
