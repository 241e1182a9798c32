package waitgroup

import "sync"

func work() {}

func addInside(tasks []func()) {
	var wg sync.WaitGroup
	for _, task := range tasks {
		go func() {
			work()
			wg.Add(1) // want `WaitGroup.Add is called in the goroutine that is to be waited for: Wait may return before`
			defer wg.Done()
			task()
		}()
	}
	wg.Wait()
}

// vet's check waitgroup reports it.
func addFirst(tasks []func()) {
	var wg sync.WaitGroup
	for _, task := range tasks {
		go func() {
			wg.Add(1)
			defer wg.Done()
			task()
		}()
	}
	wg.Wait()
}

func addBefore(tasks []func()) {
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			task()
		}()
	}
	wg.Wait()
}

// The goroutine is counted when it adds another.
func addMore() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		work()
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}()
	wg.Wait()
}

func worker(wg *sync.WaitGroup) {
	wg.Add(1) // want `WaitGroup.Add is called in the goroutine`
	defer wg.Done()
	work()
}

func addNamed() {
	var wg sync.WaitGroup
	go worker(&wg)
	wg.Wait()
}

func missingDone(n int, stopped func() bool) {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			if stopped() {
				return
			}
			work()
			wg.Done() // want `the goroutine can return before it calls Done: Wait then waits forever`
		}()
	}
	wg.Wait()
}

func done(n int, stopped func() bool) {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			if stopped() {
				wg.Done()
				return
			}
			work()
			wg.Done()
		}()
	}
	wg.Wait()
}

func doneDeferred(n int, stopped func() bool) {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			if stopped() {
				return
			}
			work()
		}()
	}
	wg.Wait()
}

func optional(wg *sync.WaitGroup) {
	go func() {
		work()
		if wg != nil {
			wg.Done()
		}
	}()
}

func finish(wg *sync.WaitGroup) { wg.Done() }

func handedOn(n int, stopped func() bool) {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			if stopped() {
				finish(&wg)
				return
			}
			wg.Done()
		}()
	}
	wg.Wait()
}
