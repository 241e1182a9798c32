// Package main waits for goroutines before it accesses what they wrote.
package main

import "sync"

type sum struct{ n int }

// joined reads when all are done; the goroutines only share a lock-protected sum.
func joined() int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n += i // want locked, read-only, unshared
			mu.Unlock()
		}()
	}
	wg.Wait()
	return s.n // want locked, read-only
}

// early reads before all are done.
func early() int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n += i // want read-only, unprotected, unshared
			mu.Unlock()
		}()
	}
	n := s.n // want read-only, unprotected
	wg.Wait()
	return n
}

// one goroutine, and its starter after it.
func one() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		s.n++ // want ordered
		wg.Done()
	}()
	wg.Wait()
	return s.n // want ordered
}

// atEnd starts a goroutine when the result has been set.
func atEnd() (n int) {
	defer func() {
		go func() {
			n++ // want unprotected
		}()
	}()
	return 1
}

// deferred starts none.
func deferred() (n int) {
	defer func() {
		n++ // want unshared
	}()
	return 1
}

// panics returns to its caller before it has waited.
func panics() (n int) {
	defer func() { recover() }()
	var wg sync.WaitGroup
	wg.Go(func() {
		n++ // want unprotected
	})
	panic("")
}

// waits does not, since nothing stops a panic.
func waits(mu *sync.Mutex) (n int) {
	mu.Lock()
	defer mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		n++ // want ordered
	})
	wg.Wait()
	return n
}

func starts(s *sum, stop bool) {
	var wg sync.WaitGroup
	wg.Go(func() {
		s.n++ // want ordered, unprotected, unshared
	})
	if stop {
		panicking()
	}
	wg.Wait()
}

func panicking() { panic("") }

func caught(s *sum) {
	defer func() { recover() }()
	starts(s, true)
}

// recovered goes on although starts did not.
func recovered() {
	s, t := &sum{}, &sum{}
	caught(s)
	s.n++ // want unprotected
	starts(t, false)
	t.n++ // want ordered
}

// tooEarly says Done before it writes.
func tooEarly() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// inside adds too late: Wait may return before.
func inside() int {
	var wg sync.WaitGroup
	s := &sum{}
	go func() {
		wg.Add(1)
		defer wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// twice says Done twice, so that Wait may return while the other goroutine runs.
func twice() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Add(1)
	go func() {
		wg.Done()
		wg.Done()
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// nested starts a goroutine that nobody waits for.
func nested() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Go(func() {
		go func() {
			s.n++ // want read-only, unprotected
		}()
	})
	wg.Wait()
	return s.n // want read-only, unprotected
}

// steps has phases, in a method of an object that comes from the caller.
type grid struct {
	cells []int
	total int
	mu    sync.Mutex
}

func (g *grid) run(steps int) {
	for range steps {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { g.work() })
		}
		wg.Wait()
		for i := range g.cells {
			g.cells[i]++ // want ordered, read-only
		}
	}
}

func (g *grid) work() {
	n := 0
	for _, c := range g.cells { // want ordered, read-only
		n += c
	}
	g.mu.Lock()
	g.total += n // want locked
	g.mu.Unlock()
}

func phases() int {
	g := &grid{cells: make([]int, 4)}
	g.run(3)
	return g.total + g.cells[0] // want locked, ordered, read-only
}

// unjoined is phases without Wait.
type badGrid struct{ cells []int }

func (g *badGrid) run(steps int) {
	for range steps {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { g.work() })
		}
		for i := range g.cells {
			g.cells[i]++ // want read-only, unprotected
		}
		wg.Wait()
	}
}

func (g *badGrid) work() int {
	return g.cells[0] // want read-only, unprotected
}

func badPhases() {
	g := &badGrid{cells: make([]int, 4)}
	g.run(3)
}

func main() {
	atEnd()
	deferred()
	panics()
	waits(&sync.Mutex{})
	recovered()
	main2()
	joined()
	early()
	one()
	tooEarly()
	inside()
	twice()
	nested()
	phases()
	badPhases()
}

// signal ends with a value on a channel.
func signal() int {
	done := make(chan bool)
	s := &sum{}
	go func() {
		s.n++ // want ordered
		done <- true
	}()
	<-done
	s.n++      // want ordered
	return s.n // want ordered
}

// signalEarly sends before it writes.
func signalEarly() int {
	done := make(chan bool)
	s := &sum{}
	go func() {
		done <- true
		s.n++ // want read-only, unprotected
	}()
	<-done
	return s.n // want read-only, unprotected
}

// closing closes a channel at its end, whatever that is.
func closing(ok bool) int {
	done := make(chan bool)
	s := &sum{}
	go func() {
		defer close(done)
		if ok {
			return
		}
		s.n++ // want ordered
	}()
	<-done
	return s.n // want ordered
}

// another closes the channel, too.
func another() int {
	done := make(chan bool)
	s, t := &sum{}, &sum{}
	go func() {
		defer close(done)
		t.n++ // want read-only, unprotected
	}()
	go func() {
		defer close(done)
		s.n++ // want read-only, unprotected
	}()
	<-done
	return s.n + t.n // want read-only, unprotected
}

// unheard waits in a select, which may choose otherwise.
func unheard() int {
	done, stop := make(chan bool), make(chan bool, 1)
	s := &sum{}
	go func() {
		s.n++ // want read-only, unprotected
		done <- true
	}()
	stop <- true
	select {
	case <-done:
	case <-stop:
	}
	return s.n // want read-only, unprotected
}

// producer sends many values and then closes.
func producer() int {
	c := make(chan int)
	s := &sum{}
	go func() {
		defer close(c)
		for i := range 3 {
			c <- i
			s.n++ // want ordered
		}
	}()
	t := 0
	for v := range c {
		t += v
	}
	return t + s.n // want ordered
}

// producerLeft stops to receive before the end.
func producerLeft() int {
	c := make(chan int, 3)
	s := &sum{}
	go func() {
		defer close(c)
		for i := range 3 {
			c <- i
			s.n++ // want read-only, unprotected
		}
	}()
	for v := range c {
		if v == 1 {
			break
		}
	}
	return s.n // want read-only, unprotected
}

// many are counted by two loops.
func many(n int) int {
	done := make(chan bool, n)
	var mu sync.Mutex
	s := &sum{}
	for i := 0; i < n; i++ {
		go func() {
			mu.Lock()
			s.n++ // want locked, read-only
			mu.Unlock()
			done <- true
		}()
	}
	for range n {
		<-done
	}
	return s.n // want locked, read-only
}

// overSlice starts one for each element.
func overSlice(list []int) int {
	done := make(chan bool)
	var mu sync.Mutex
	s := &sum{}
	for range list {
		go func() {
			mu.Lock()
			s.n++ // want locked, read-only
			mu.Unlock()
			done <- true
		}()
	}
	for range len(list) {
		<-done
	}
	return s.n // want locked, read-only
}

// tooFew leaves one out.
func tooFew(n int) int {
	done := make(chan bool, n)
	var mu sync.Mutex
	s := &sum{}
	for range n {
		go func() {
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
			done <- true
		}()
	}
	for i := 1; i < n; i++ {
		<-done
	}
	return s.n // want read-only, unprotected
}

// gaveUp may leave the loop.
func gaveUp(n int) int {
	done := make(chan bool, n)
	var mu sync.Mutex
	s := &sum{}
	for range n {
		go func() {
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
			done <- true
		}()
	}
	for range n {
		if !<-done {
			break
		}
	}
	return s.n // want read-only, unprotected
}

// startedTwice starts as many again.
func startedTwice() int {
	done := make(chan bool, 8)
	var mu sync.Mutex
	s := &sum{}
	for range 2 {
		for range 4 {
			go func() {
				mu.Lock()
				s.n++ // want read-only, unprotected
				mu.Unlock()
				done <- true
			}()
		}
	}
	for range 4 {
		<-done
	}
	return s.n // want read-only, unprotected
}

// two signals, one after the other.
func two() int {
	done := make(chan bool, 2)
	a, b := &sum{}, &sum{}
	go func() {
		a.n++ // want ordered
		done <- true
	}()
	go func() {
		b.n++ // want ordered
		done <- true
	}()
	<-done
	<-done
	return a.n + b.n // want ordered
}

// oneOfTwo does not wait for the other.
func oneOfTwo() int {
	done := make(chan bool, 2)
	a, b := &sum{}, &sum{}
	go func() {
		a.n++ // want read-only, unprotected
		done <- true
	}()
	go func() {
		b.n++ // want read-only, unprotected
		done <- true
	}()
	<-done
	return a.n + b.n // want read-only, unprotected
}

// ownSignal sends to itself.
func ownSignal() int {
	done := make(chan bool, 2)
	a := &sum{}
	go func() {
		a.n++ // want read-only, unprotected
		done <- true
	}()
	done <- true
	<-done
	return a.n // want read-only, unprotected
}

// rounds have a channel each.
func rounds() int {
	s := &sum{}
	for range 3 {
		done := make(chan bool)
		go func() {
			s.n++ // want ordered
			done <- true
		}()
		<-done
		s.n++ // want ordered
	}
	return s.n // want ordered
}

// bulkAdd counts them all at once.
func bulkAdd(n int) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n++ // want locked, read-only
			mu.Unlock()
		}()
	}
	wg.Wait()
	return s.n // want locked, read-only
}

// bulkTwo counts two.
func bulkTwo() int {
	var wg sync.WaitGroup
	a, b := &sum{}, &sum{}
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.n++ // want ordered
	}()
	go func() {
		defer wg.Done()
		b.n++ // want ordered
	}()
	wg.Wait()
	return a.n + b.n // want ordered
}

// bulkFew counts two and starts three.
func bulkFew() int {
	var wg sync.WaitGroup
	s := make([]sum, 3)
	wg.Add(2)
	for i := range 3 {
		go func() {
			defer wg.Done()
			s[i].n++ // want read-only, unprotected, unshared
		}()
	}
	wg.Wait()
	return s[0].n // want read-only, unprotected
}

// bulkOther counts by another number.
func bulkOther(n, m int) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	wg.Add(n)
	for range m {
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
		}()
	}
	wg.Wait()
	return s.n // want read-only, unprotected
}

// bulkTwice uses one Add for two loops.
func bulkTwice(n int) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	wg.Add(n)
	for range 2 {
		for range n {
			go func() {
				defer wg.Done()
				mu.Lock()
				s.n++ // want read-only, unprotected
				mu.Unlock()
			}()
		}
	}
	wg.Wait()
	return s.n // want read-only, unprotected
}

// negative adds a number that may take away from what others have added.
func negative(n int) int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Add(n)
	wg.Wait()
	return s.n // want read-only, unprotected
}

// selfOffered may send to itself.
func selfOffered() int {
	done := make(chan bool, 2)
	a := &sum{}
	go func() {
		a.n++ // want read-only, unprotected
		done <- true
	}()
	select {
	case done <- true:
	default:
	}
	<-done
	return a.n // want read-only, unprotected
}

// otherNumber waits for another number than it has started.
func otherNumber(n, m int) int {
	done := make(chan bool, n)
	var mu sync.Mutex
	s := &sum{}
	for range n {
		go func() {
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
			done <- true
		}()
	}
	for range m {
		<-done
	}
	return s.n // want read-only, unprotected
}

// lastOnly waits for the last one only.
func lastOnly() {
	s := &sum{}
	for i := range 3 {
		done := make(chan bool, 1)
		go func() {
			_ = s.n // want read-only, unprotected
			done <- true
		}()
		if i == 2 {
			<-done
			s.n++ // want read-only, unprotected
		}
	}
}

// lastRange waits for the end of the last one only.
func lastRange() {
	s := &sum{}
	for i := range 3 {
		c := make(chan bool, 1)
		go func() {
			defer close(c)
			c <- true
			_ = s.n // want read-only, unprotected
		}()
		if i == 2 {
			for range c {
			}
			s.n++ // want read-only, unprotected
		}
	}
}

// oneMore starts one before it looks at the number.
func oneMore(n int) int {
	done := make(chan bool, n+1)
	var mu sync.Mutex
	s := &sum{}
	i := 0
	for {
		go func() {
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
			done <- true
		}()
		if i < n {
			i++
			continue
		}
		break
	}
	for range n {
		<-done
	}
	return s.n // want read-only, unprotected
}

// notAlways does not receive in each iteration.
func notAlways(n int) int {
	done := make(chan bool, n)
	var mu sync.Mutex
	s := &sum{}
	for range n {
		go func() {
			mu.Lock()
			s.n++ // want read-only, unprotected
			mu.Unlock()
			done <- true
		}()
	}
	for i := range n {
		if i > 0 {
			<-done
		}
	}
	return s.n // want read-only, unprotected
}

// bulkPerhaps may forget to count.
func bulkPerhaps(ok bool) int {
	var wg sync.WaitGroup
	a, b := &sum{}, &sum{}
	if ok {
		wg.Add(2)
	}
	go func() {
		a.n++ // want read-only, unprotected
		wg.Done()
	}()
	go func() {
		b.n++ // want read-only, unprotected
		wg.Done()
	}()
	wg.Wait()
	return a.n + b.n // want read-only, unprotected
}

func main2() {
	selfOffered()
	otherNumber(3, 2)
	lastOnly()
	lastRange()
	oneMore(2)
	notAlways(3)
	bulkPerhaps(true)
	signal()
	signalEarly()
	closing(true)
	another()
	unheard()
	producer()
	producerLeft()
	many(3)
	overSlice([]int{1, 2})
	tooFew(3)
	gaveUp(3)
	startedTwice()
	two()
	oneOfTwo()
	ownSignal()
	rounds()
	bulkAdd(3)
	bulkTwo()
	bulkFew()
	bulkOther(2, 3)
	bulkTwice(2)
	negative(-1)
}
