package cancelskipped

import (
	"sync"
	"testing"
)

func TestGetOr(t *testing.T) {
	var s Store
	var got string
	var wg sync.WaitGroup
	wg.Go(func() { s.Set("set") })
	wg.Go(func() { got = s.GetOr("unset") })
	wg.Wait()
	if got != "set" && got != "unset" {
		t.Errorf("got %q", got)
	}
}
