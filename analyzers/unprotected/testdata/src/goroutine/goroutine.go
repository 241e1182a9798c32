package goroutine

import (
	"sync"
	"sync/atomic"
	"time"
)

func count(lines [][]string) int {
	total := 0
	var wg sync.WaitGroup
	for _, words := range lines {
		wg.Go(func() { total += len(words) }) // want `total is written here and read by another goroutine at the same time, without a common lock`
	}
	wg.Wait()
	return total
}

func countLocked(lines [][]string) int {
	total := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, words := range lines {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			total += len(words)
		})
	}
	wg.Wait()
	return total
}

func countEach(lines [][]string) []int {
	totals := make([]int, len(lines))
	var wg sync.WaitGroup
	for i, words := range lines {
		wg.Go(func() { totals[i] = len(words) })
	}
	wg.Wait()
	return totals
}

func countOneByOne(lines [][]string) int {
	total := 0
	for _, words := range lines {
		var wg sync.WaitGroup
		wg.Go(func() { total += len(words) })
		wg.Wait()
	}
	return total
}

func countOwn(lines [][]string) {
	for _, words := range lines {
		total := 0
		go func() {
			total += len(words)
			println(total)
		}()
	}
}

func byChannel(lines [][]string) int {
	total := 0
	turn := make(chan bool, 1)
	var wg sync.WaitGroup
	for _, words := range lines {
		wg.Go(func() {
			turn <- true
			total += len(words)
			<-turn
		})
	}
	wg.Wait()
	return total
}

func result(work func() error) error {
	var err error
	done := make(chan bool)
	go func() {
		err = work()
		close(done)
	}()
	<-done
	return err
}

func resultEarly(work func() error) error {
	var err error
	go func() {
		err = work() // want `err is written here and read by another goroutine at the same time`
	}()
	return err
}

func before(work func(int)) {
	n := 1
	n++
	go func() { work(n) }()
}

func after(work func(int)) {
	n := 1
	go func() { work(n) }()
	n++ // want `n is written here and read by another goroutine`
}

func told(work func(int)) {
	n := 1
	start := make(chan bool)
	go func() {
		<-start
		work(n)
	}()
	n++
	close(start)
}

type sprite struct {
	mu   sync.Mutex
	once sync.Once
	rw   sync.RWMutex
	x, y int
	seen map[string]bool
	hits int64
	name *string
}

func (s *sprite) move()    { s.x++ } // want `sprite.x is written here and read by another goroutine`
func (s *sprite) pos() int { return s.x }

func moveAndLook(s *sprite) {
	go s.move()
	go s.pos()
}

func (s *sprite) moveLocked() {
	s.y++
}

func (s *sprite) up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moveLocked()
}

func ups(s *sprite) {
	for range 3 {
		go s.up()
	}
}

func (s *sprite) see(name string) { s.seen[name] = true } // want `map sprite.seen is written here and written by another goroutine`

func sees(s *sprite, names []string) {
	var wg sync.WaitGroup
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.see(n)
		}()
	}
	wg.Wait()
}

func (s *sprite) hit()       { atomic.AddInt64(&s.hits, 1) } // want `sprite.hits is written atomically here and read by another goroutine`
func (s *sprite) get() int64 { return s.hits }

func hitAndGet(s *sprite) {
	go s.hit()
	go s.get()
}

func (s *sprite) load() { s.once.Do(func() { s.name = new(string) }) }

func (s *sprite) nameOf() *string {
	s.load()
	return s.name
}

func names(s *sprite) {
	for range 3 {
		go s.nameOf()
	}
}

type cache struct {
	rw   sync.RWMutex
	hits int
	all  int
}

func (c *cache) look() {
	c.rw.RLock()
	defer c.rw.RUnlock()
	c.hits++ // want `cache.hits is written here and read by another goroutine`
}

func (c *cache) put() {
	c.rw.Lock()
	defer c.rw.Unlock()
	c.all++
}

func looks(c *cache) {
	for range 3 {
		go c.look()
		go c.put()
	}
}

// Different objects.
func each(all []*sprite) {
	for _, s := range all {
		go func() { s.x++ }()
	}
}

// A group like errgroup's.
type group struct{ wg sync.WaitGroup }

func (g *group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func (g *group) Wait() { g.wg.Wait() }

func groups(lines [][]string) (n int) {
	var g group
	for _, words := range lines {
		g.Go(func() { n += len(words) }) // want `n is written here and read by another goroutine`
	}
	g.Wait()
	return n
}

func timer() bool {
	late := false
	t := time.AfterFunc(time.Second, func() { late = true }) // want `late is written here and read by another goroutine`
	t.Stop()
	return late
}

// process is called with the lock held.
func (s *sprite) process() { s.y++ }

func processing(s *sprite) {
	go s.process()
	go s.process()
}

func (s *sprite) conditional(lock bool) {
	if lock {
		s.rw.Lock()
	}
	s.y++
	if lock {
		s.rw.Unlock()
	}
}

func conditionally(s *sprite) {
	go s.conditional(true)
	go s.conditional(true)
}

// As many results as goroutines: they have all ended when the loop has.
func counted(work []func() int) (sum int) {
	results := make(chan int)
	for n := range work {
		go func() { results <- work[n]() }()
	}
	for range len(work) {
		sum += <-results
	}
	work = nil
	return sum
}

// In some rounds nothing is received.
func countedSome(work []func() int) (sum int) {
	results := make(chan int)
	for n := range work {
		go func() { results <- work[n]() }()
	}
	for n := 0; n < len(work); n++ {
		if n%2 == 0 {
			sum += <-results
		}
	}
	work = nil // want `work is written here and read by another goroutine`
	return sum
}

// In the loop, but before the first result.
func countedBefore(work []func() int) (sum int) {
	results := make(chan int)
	for n := range work {
		go func() { results <- work[n]() }()
	}
	for range len(work) {
		work = nil // want `work is written here and read by another goroutine`
		sum += <-results
	}
	return sum
}

// The loop waits for something else, and its last goroutine may still run.
func afterRounds(n int, tick chan bool) (x int) {
	for i := 0; i < n; i++ {
		<-tick
		go func() { println(x) }()
	}
	x = 1 // want `x is written here and read by another goroutine`
	return x
}

// There is a loop that waits, but not here.
func eitherWay(wait bool) (x int) {
	results := make(chan int)
	go func() { results <- x }()
	if wait {
		for {
			if <-results == 0 {
				return 0
			}
		}
	}
	x = 1 // want `x is written here and read by another goroutine`
	return x
}
