package lru

import (
	"sync"
	"testing"
)

func TestUsers(t *testing.T) {
	const users, rounds = 4, 6
	c := New[int, string](5)
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	var wg sync.WaitGroup
	for u := range users {
		wg.Go(func() {
			for i := range rounds {
				key := (u*i + i) % len(names)
				if v, ok := c.Get(key); !ok {
					c.Put(key, names[key])
				} else if v != names[key] {
					t.Errorf("%d is %s", key, v)
				}
			}
		})
	}
	wg.Wait()
	if hits, misses := c.Stats(); hits+misses != users*rounds {
		t.Errorf("%d hits and %d misses", hits, misses)
	}
	if n := c.Len(); n > 5 {
		t.Errorf("%d entries", n)
	}
}
