package unlockedpredicate

import (
	"sync"
	"testing"
)

func TestStarter(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	wg.Go(s.Wait)
	wg.Go(s.Wait)
	s.Go()
	wg.Wait()
}
