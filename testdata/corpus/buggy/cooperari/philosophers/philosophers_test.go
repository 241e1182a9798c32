package philosophers

import (
	"sync"
	"testing"
)

func TestPhilosophers2(t *testing.T) { dinner(t, 2) }
func TestPhilosophers4(t *testing.T) { dinner(t, 4) }
func TestPhilosophers8(t *testing.T) { dinner(t, 8) }

func dinner(t *testing.T, n int) {
	table := Table(n)
	var wg sync.WaitGroup
	for _, p := range table {
		wg.Go(p.Dine)
	}
	wg.Wait()
	for i, p := range table {
		if !p.thought || !p.food {
			t.Errorf("philosopher %d: thought %v, food %v", i, p.thought, p.food)
		}
	}
}
