package twostage

import (
	"sync"
	"testing"
)

func TestTwoStage2(t *testing.T) { writersAndReaders(t, 2) }
func TestTwoStage4(t *testing.T) { writersAndReaders(t, 4) }
func TestTwoStage8(t *testing.T) { writersAndReaders(t, 8) }

// writersAndReaders runs n goroutines, in turn a reader and a writer.
func writersAndReaders(t *testing.T, n int) {
	var s TwoStage
	pairs := make([][2]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if i%2 == 0 {
				pairs[i][0], pairs[i][1] = s.Get()
			} else {
				s.Set(1)
			}
		})
	}
	wg.Wait()
	for i, p := range pairs {
		if p[0] != 0 && p[1] != p[0]+1 {
			t.Errorf("goroutine %d read %d and %d", i, p[0], p[1])
		}
	}
}
