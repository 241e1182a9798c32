package useafterput

import (
	"sync"
	"testing"
)

func TestGreet(t *testing.T) {
	r := New()
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() {
			if got := string(r.Greet(name)); got != "hi "+name {
				t.Errorf("%q for %s", got, name)
			}
		})
	}
	wg.Wait()
}
