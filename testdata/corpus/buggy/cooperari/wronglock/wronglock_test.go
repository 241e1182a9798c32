package wronglock

import (
	"sync"
	"testing"
)

func TestWrongLock2(t *testing.T) { upAndDown(t, 2) }
func TestWrongLock4(t *testing.T) { upAndDown(t, 4) }
func TestWrongLock8(t *testing.T) { upAndDown(t, 8) }

// upAndDown runs n goroutines, half of them counting up and half down.
func upAndDown(t *testing.T, n int) {
	var c Counter
	var wg sync.WaitGroup
	for range n / 2 {
		wg.Go(c.Up)
		wg.Go(c.Down)
	}
	wg.Wait()
	if c.value != 0 {
		t.Errorf("value %d, want 0", c.value)
	}
}
