package orders

import "sync"

// together runs functions in a goroutine each and waits for all. That it starts them is no
// choice of schedule.
func together(fs ...func()) {
	var wg sync.WaitGroup
	wg.Add(len(fs))
	for _, f := range fs {
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

// threads are those of Java 1.4, where creating a thread takes a number under a lock of the
// class, and start is a synchronized method. These are operations on which no started
// thread depends.
type threads struct{ class sync.Mutex }

type thread struct{ monitor sync.Mutex }

func (s *threads) create() *thread {
	s.class.Lock()
	defer s.class.Unlock()
	return new(thread)
}

func (t *thread) start(wg *sync.WaitGroup, f func()) {
	t.monitor.Lock()
	defer t.monitor.Unlock()
	wg.Go(f)
}

// inTurn is together, but with threads: a function may run before the next one has been
// started.
func inTurn(fs ...func()) {
	var all threads
	var wg sync.WaitGroup
	for _, f := range fs {
		all.create().start(&wg, f)
	}
	wg.Wait()
}
