package goroutine

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waited, asleep := false, false
		go func() { waited = true }()
		synctest.Wait()
		t.Log(waited)
		go func() { asleep = true }() // want `asleep is written here and read by another goroutine`
		time.Sleep(1)
		t.Log(asleep)
	})
}
