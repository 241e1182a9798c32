package sharedvalue

import (
	"sync"
	"testing"
)

func TestOptions(t *testing.T) {
	defaults := Defaults()
	var wg sync.WaitGroup
	for _, user := range []string{"ann", "bob"} {
		wg.Go(func() {
			if got := Options(defaults, user)["user"]; got != user {
				t.Errorf("user %q, want %q", got, user)
			}
		})
	}
	wg.Wait()
}
