package btree

import (
	"strconv"
	"sync"
	"testing"
)

func TestWritersAndReaders(t *testing.T) {
	const writers, keys = 3, 8
	s := New()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range keys {
				k := i*7%keys*writers + w
				s.Put(k, strconv.Itoa(k))
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			last := -1
			s.Each(func(k int, v string) bool {
				if k <= last || v != strconv.Itoa(k) {
					t.Errorf("%d: %s after %d", k, v, last)
				}
				last = k
				return true
			})
			if v, ok := s.Get(5); ok && v != "5" {
				t.Errorf("5 is %s", v)
			}
		})
	}
	wg.Wait()
	if n := s.Len(); n != writers*keys {
		t.Errorf("%d keys", n)
	}
	for k := range writers * keys {
		if v, ok := s.Get(k); !ok || v != strconv.Itoa(k) {
			t.Errorf("%d is %q", k, v)
		}
	}
}
