package orders

import "sync"

// together runs functions in a goroutine each and waits for all. That it starts them is no
// choice of schedule, as in the paper, where threads switch at synchronisation only.
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
