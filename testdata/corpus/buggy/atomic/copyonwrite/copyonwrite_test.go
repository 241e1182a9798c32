package copyonwrite

import (
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	var s Set
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() { s.Add(name) })
	}
	wg.Wait()
	if names := s.Names(); len(names) != 2 {
		t.Errorf("names %v, want two", names)
	}
}
