package nilsend

import (
	"sync"
	"testing"
)

func TestMailbox(t *testing.T) {
	var m Mailbox
	var wg sync.WaitGroup
	wg.Go(func() { m.Deliver("hello") })
	wg.Go(m.Open)
	wg.Wait()
	if got := m.Fetch(); got != "hello" {
		t.Errorf("fetched %q", got)
	}
}
