// Package latelog has a test that waits for its goroutine to log.
package latelog

import "testing"

func TestLog(t *testing.T) {
	logged := make(chan struct{})
	go func() {
		t.Log("working")
		close(logged)
	}()
	<-logged
}
