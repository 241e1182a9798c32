// Package sharedbuffer collects the output of its workers in one bytes.Buffer without a lock.
//
// Expect: race
package sharedbuffer

import (
	"bytes"
	"sync"
)

// Greetings has each name greeted by a worker and returns what all have said.
func Greetings(names ...string) string {
	var out bytes.Buffer
	var wg sync.WaitGroup
	for _, name := range names {
		line := "hello " + name + "\n"
		wg.Go(func() { out.WriteString(line) })
	}
	wg.Wait()
	return out.String()
}
