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

// inTurn is together, but a function may run before the next one has been started.
func inTurn(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
