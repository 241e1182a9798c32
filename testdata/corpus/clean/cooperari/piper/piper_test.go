package piper

import (
	"sync"
	"testing"
)

func TestPiper2(t *testing.T) { flight(t, 2) }
func TestPiper4(t *testing.T) { flight(t, 4) }
func TestPiper8(t *testing.T) { flight(t, 8) }

// flight brings n passengers in and out, each in two goroutines.
func flight(t *testing.T, n int) {
	p := New()
	landed := make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { landed[i] = p.Empty() })
		wg.Go(func() { p.Fill(i + 1) })
	}
	wg.Wait()
	seen := make([]bool, n+1)
	for _, passenger := range landed {
		if passenger == 0 || seen[passenger] {
			t.Fatalf("wrong passengers landed: %v", landed)
		}
		seen[passenger] = true
	}
}
