package lru

import (
	"slices"
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	c := New(3)
	keys := []string{"a", "b", "c"}
	for i, key := range keys {
		c.Put(key, i)
	}
	var wg sync.WaitGroup
	for _, key := range keys[:2] {
		wg.Go(func() { c.Get(key) })
	}
	wg.Wait()
	got := slices.Sorted(slices.Values(c.recent))
	if !slices.Equal(got, keys) {
		t.Errorf("entries %v, want %v", got, keys)
	}
}
