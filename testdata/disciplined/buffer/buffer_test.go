package buffer

import (
	"sync"
	"testing"
)

func TestSum(t *testing.T) {
	const producers, consumers, values = 3, 3, 8
	b := New[int](2)
	var producing, consuming sync.WaitGroup
	for range producers {
		producing.Go(func() {
			for v := range values {
				b.Put(v)
			}
		})
	}
	var mu sync.Mutex
	total := 0
	for range consumers {
		consuming.Go(func() {
			sum := 0
			for {
				v, ok := b.Get()
				if !ok {
					break
				}
				sum += v
			}
			mu.Lock()
			total += sum
			mu.Unlock()
		})
	}
	producing.Wait()
	b.Close()
	consuming.Wait()
	if want := producers * values * (values - 1) / 2; total != want {
		t.Errorf("sum %d, want %d", total, want)
	}
}
