package main

import (
	"errors"
	"fmt"
	"sync"
)

func named() (n int, err error) {
	defer func() {
		n++
		if err != nil {
			err = fmt.Errorf("wrapped: %w", err)
		}
	}()
	return 1, errors.New("inner")
}

func shared() (n int, err error) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); n = 3; err = errors.New("set") }()
	wg.Wait()
	if n > 100 {
		return
	}
	return n + 1, err
}

func tuple() (n int, err error) {
	set := func() { n = 9 }
	defer set()
	return two()
}

func shadowed() (n int) {
	set := func() { n = n*2 + 1 }
	defer func() { set() }()
	{
		n := 5
		if n > 1 {
			return n
		}
	}
	return 2 << n
}

func recovers() (s string) {
	keep := func() string { return s }
	defer func() { s = fmt.Sprint(recover(), keep()) }()
	var p *T
	return fmt.Sprint(p.n)
}

func fib() func() int {
	a, b := 0, 1
	return func() int {
		a, b = b, a+b
		return a
	}
}

var global = func() int { g.n = 4; return g.n }()

var _ = part(func() {
	fmt.Println(named())
	fmt.Println(shared())
	fmt.Println(tuple())
	fmt.Println(shadowed())
	fmt.Println(recovers())
	f := fib()
	for i := 0; i < 5; i++ {
		defer fmt.Print(f(), " ")
		fmt.Print(f(), " ")
	}
	var fact func(int) int
	fact = func(n int) int {
		if n == 0 {
			return 1
		}
		return n * fact(n-1)
	}
	fmt.Println(fact(5), global)
	x := 1
	p := &x
	func() { x++ }()
	*p += 2
	go func(n int) { _ = n }(x)
	fmt.Println(x)
	t := &T{fn: func() int { return 3 }}
	defer t.fn()
	defer func(n int) { fmt.Println("deferred", n) }(t.n)
	t.n = 5
	done := make(chan bool)
	go func() { t.n++; done <- true }()
	<-done
	fmt.Println(t.fn(), t.n)
})
