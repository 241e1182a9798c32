// Package latelog has a test whose goroutine may log after the test has completed.
//
// Expect: panic
package latelog

import "testing"

func TestLog(t *testing.T) {
	started := make(chan struct{})
	go func() {
		close(started)
		t.Log("working")
	}()
	<-started
}
