package goroutine

import "runtime"

// handled has functions called at some time, by nobody before use has begun.
func handled(use func(*pump)) {
	idle, begun := 0, 0
	p := new(pump)
	runtime.AddCleanup(p, func(n int) { println(idle) }, 1)
	idle = 1
	q := new(pump)
	runtime.AddCleanup(q, func(n int) { println(begun) }, 1)
	go use(q)
	begun = 3 // want `begun is written here and read by another goroutine`
}
