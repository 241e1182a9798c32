package hashcode

import (
	"sync"
	"testing"
)

func TestHashCode2(t *testing.T) { lookups(t, 2) }
func TestHashCode4(t *testing.T) { lookups(t, 4) }
func TestHashCode8(t *testing.T) { lookups(t, 8) }

// lookups lets n clients ask for the same hash.
func lookups(t *testing.T, n int) {
	name := &Name{text: "abc"}
	hashes := make([]uint32, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { hashes[i] = name.Hash() })
	}
	wg.Wait()
	const want = (31*'a'+'b')*31 + 'c'
	for i, h := range hashes {
		if h != want {
			t.Errorf("client %d: hash %d, want %d", i, h, want)
		}
	}
}
