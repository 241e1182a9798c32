package mixed

import (
	"sync"
	"testing"
)

func TestMeter(t *testing.T) {
	var m Meter
	var first int64
	var wg sync.WaitGroup
	wg.Go(m.Mark)
	wg.Go(func() { first = m.Take() })
	wg.Go(m.Mark)
	wg.Wait()
	if total := first + m.Take(); total != 2 {
		t.Errorf("counted %d, want 2", total)
	}
}
