package main

import (
	"fmt"
	"time"
)

type C struct {
	n    int
	a, b chan int
	stop chan struct{}
	ok   bool
	list []int
	any  any
}

func (c *C) idle() chan int { return nil }

func (c *C) reset() *C { c.n = 77; return c }

// late returns what the call leaves in n.
func late() (int, error) {
	n := 1
	set := func() error { n = 2; return nil }
	return n, set()
}

func label(c *C) (r int) {
loop:
	for c.n = 0; ; c.n++ {
		switch {
		case c.n == 3:
			continue loop
		case c.n > 5:
			break loop
		case c.n == 1:
			fallthrough
		default:
			r += c.n
		}
	}
	i := 0
top:
	if i < c.n {
		i++
		c.n--
		goto top
	}
	return r*100 + i
}

func terminating(c *C) int {
	switch c.n++; {
	case c.n > 1000:
		return 1
	default:
		if c.n, c.ok = 3, true; c.ok {
			return c.n
		} else {
			return 4
		}
	}
}

func ends(c *C) int {
	if c.n, c.ok = <-c.a; c.ok {
		return 1
	} else if c.n, c.ok = 2, true; c.ok {
		return c.n
	} else {
		panic("never")
	}
}

func kind(c *C) string {
	switch v := c.any.(type) {
	case nil:
		return "nil"
	case int, string:
		return fmt.Sprint("basic ", v)
	case []int:
		v[0]++
		v = append(v, 1)
		return fmt.Sprint("slice ", v, len(v))
	case error:
		return v.Error()
	}
	switch c.any.(type) {
	case func() int:
		return "func"
	}
	return "other"
}

var _ = part(func() {
	c := &C{a: make(chan int, 2), b: make(chan int, 2), stop: make(chan struct{}), list: []int{1, 2, 3}}
	fmt.Println(label(c), terminating(c))
	close(c.stop)
	c.a <- 1
	select {
	case c.n = <-c.a:
		fmt.Println("received", c.n)
	}
	c.a <- 2
	select {
	case c.list[c.n], c.ok = <-c.a:
		fmt.Println("received", c.list, c.ok)
	case c.idle() <- next():
	}
	c.b <- 4
	select {
	case c.n, c.reset().ok = <-c.b:
		fmt.Println("received", c.n)
	}
	fmt.Println(late())
	if c.n, c.list[0] = c.n+1, c.reset().n; c.n > 0 {
		fmt.Println(c.n, c.list[0])
	}
	select {
	case c.n, _ = <-c.a:
	case <-c.stop:
		fmt.Println("stopped")
	}
	select {
	case v, ok := <-c.stop:
		fmt.Println(v, ok)
	case <-time.After(time.Hour):
	}
	for {
		select {
		case c.a <- c.n:
			continue
		default:
		}
		break
	}
	fmt.Println(len(c.a))
	close(c.a)
	<-c.a
	<-c.a
	fmt.Println(ends(c))
	for _, v := range []any{nil, 1, "s", []int{1}, fmt.Errorf("e"), next, 1.5} {
		c.any = v
		fmt.Println(kind(c))
	}
	switch c.n {
	case c.list[0], c.list[1]:
		fmt.Println("in list")
	case next() * 0:
	}
	if c.ok && c.list != nil || c.n/(c.n-c.n)+c.n == 1 {
		fmt.Println("short circuit")
	}
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		_ = c.list[c.n+10]
	}()
	{
		c.n = 1
	}

	if c.n = 5; c.n > 1 {
		c.n++
	}
	c.n++
	fmt.Println(c.n)
	line( /* a comment */ "line") // another
	c.n =                         // comment
		next() * 0
	line("line")
	c.list[0], // first
		c.list[1] =
		1,
		c.list[2]
	line("line")
	c.n, c.ok = func() (int, bool) {
		line("inside")
		return 1, true
	}()
	line("line")
	if c.n, c.ok = func() (int, bool) {
		return 1, true
	}(); c.ok {
		line("line")
	}
	c.any = fmt.
		Sprint(c.
			n)
	line("line")
})
