package testmain

import (
	"os"
	"sync"
	"testing"
)

var limits *Limits

func TestMain(m *testing.M) {
	limits = &Limits{bytes: make(map[string]int)}
	os.Exit(m.Run())
}

func TestRaise(t *testing.T) {
	limits.Set("ann", 10)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { limits.Raise("ann", 5) })
	}
	wg.Wait()
	if got := limits.Get("ann"); got != 20 {
		t.Errorf("limit %d, want 20", got)
	}
}
