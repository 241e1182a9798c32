package slicealias

import (
	"sync"
	"testing"
)

func TestJoin(t *testing.T) {
	p := New("home")
	var wg sync.WaitGroup
	for _, user := range []string{"ann", "bob"} {
		wg.Go(func() {
			if path := p.Join(user); path[1] != user {
				t.Errorf("path %v for %s", path, user)
			}
		})
	}
	wg.Wait()
}
