// Package sharedbuffer collects the output of its workers in one bytes.Buffer behind a lock.
package sharedbuffer

import (
	"bytes"
	"sync"
)

// Greetings has each name greeted by a worker and returns what all have said.
func Greetings(names ...string) string {
	var mu sync.Mutex
	var out bytes.Buffer
	var wg sync.WaitGroup
	for _, name := range names {
		line := "hello " + name + "\n"
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			out.WriteString(line)
		})
	}
	wg.Wait()
	return out.String()
}
