package goroutine

import "sync"

// A pump has goroutines that its methods leave behind.
type pump struct {
	n, sum, last, kept, first int
	began                     bool
	buffer                    *int
	in                        chan int
	stopped                   chan bool
	mu                        sync.Mutex
}

func (p *pump) start() { go p.run() }

func (p *pump) run() {
	p.began = true // want `pump.began is written here and read by another goroutine`
	p.n++
	p.mu.Lock()
	p.kept++
	p.mu.Unlock()
	for x := range p.in {
		p.sum += x
	}
	p.last = p.sum
	close(p.stopped)
}

// both do what the goroutine of a function that they call does, too.
func (p *pump) Both() {
	p.start()
	p.n++ // want `pump.n is written here and read by another goroutine`
	p.mu.Lock()
	p.kept++
	p.mu.Unlock()
}

func (p *pump) stop() int {
	p.start()
	close(p.in)
	<-p.stopped
	return p.last
}

// Restart is two calls away.
func (p *pump) restart() { p.start() }

func (p *pump) Again() int {
	p.restart()
	if p.began {
		return 0
	}
	return p.last // written after a message, which may still come
}

// newPump changes what nobody can have sent to yet.
func newPump() *pump {
	p := &pump{in: make(chan int), stopped: make(chan bool)}
	go p.add()
	p.first = 1
	return p
}

func (p *pump) add() {
	for x := range p.in {
		p.first += x
	}
}

// flush lets a goroutine work on a buffer that is replaced.
func (p *pump) flush() {
	go func(b *int) { *b = 1 }(p.buffer)
	p.buffer = new(int)
	*p.buffer = 3
}

// flushAll does so again and again.
func (p *pump) flushAll() {
	for range 3 {
		go func(b *int) { *b = 1 }(p.buffer)
		p.buffer = new(int)
	}
}

func (p *pump) flushed() int {
	p.flush()
	*p.buffer = 2
	return *p.buffer
}

// flushInto has the new one worked on.
func (p *pump) flushInto() int {
	p.buffer = new(int)
	go func(b *int) { *b = 1 }(p.buffer) // want `pump.buffer is written here and read by another goroutine`
	return *p.buffer
}

// waits has no goroutine left when it returns.
func (p *pump) waits() {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { p.sum = 0 })
}

func (p *pump) afterwards() int {
	p.waits()
	return p.sum
}

// An index is built by a goroutine that its constructor starts.
type index struct {
	names, ages map[string]int
	mu          sync.Mutex
	built       chan bool
}

func newIndex() (*index, error) {
	x := &index{built: make(chan bool)}
	go x.build()
	return x, nil
}

func (x *index) build() {
	x.names = make(map[string]int) // want `index.names is written here and read by another goroutine`
	x.mu.Lock()
	x.ages = make(map[string]int)
	x.mu.Unlock()
	close(x.built)
}

func (x *index) age(name string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ages[name]
}

func find(name string) int {
	x, err := newIndex()
	if err != nil {
		return 0
	}
	return x.names[name] + x.age(name)
}

func findBuilt(name string) int {
	x, _ := newIndex()
	<-x.built
	return x.ages[name]
}

// untold has a pump do nothing before it looks at it.
func untold() int {
	p := pumping()
	return p.first
}

func pumping() *pump {
	p := &pump{in: make(chan int)}
	go p.add()
	return p
}

func remade() {
	p := pumping()
	go p.add()
	p.first = 2
	q, err := newPumping()
	if err == nil {
		go q.addTwice()
		q.sum = 1
	}
}

func newPumping() (*pump, error) { return pumping(), nil }

func (p *pump) addTwice() {
	for x := range p.in {
		p.sum += 2 * x
	}
}
