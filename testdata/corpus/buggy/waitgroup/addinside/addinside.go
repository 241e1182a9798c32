// Package addinside calls Add in the new goroutine, so that Wait can come first and return at once.
//
// Expect: fail
package addinside

import (
	"runtime"
	"sync"
)

// Run runs all tasks in parallel and returns when they are done.
func Run(tasks ...func()) {
	var wg sync.WaitGroup
	for _, task := range tasks {
		go func() {
			wg.Add(1)
			defer wg.Done()
			task()
		}()
	}
	runtime.Gosched() // the tasks have usually started now
	wg.Wait()
}
