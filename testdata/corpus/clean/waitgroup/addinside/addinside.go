// Package addinside calls Add before the go statement.
package addinside

import "sync"

// Run runs all tasks in parallel and returns when they are done.
func Run(tasks ...func()) {
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
