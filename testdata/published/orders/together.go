package orders

import "sync"

// together runs functions in a goroutine each and waits for all. As threads do in the
// paper, each may run before the next one is started.
func together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
