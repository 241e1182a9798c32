package pubsub

import (
	"sync"
	"testing"
)

func TestTopic(t *testing.T) {
	topic := New()
	s := topic.Subscribe()
	var wg sync.WaitGroup
	wg.Go(func() {
		if got := <-s.C; got != "first" {
			t.Errorf("received %q", got)
		}
		topic.Unsubscribe(s)
	})
	topic.Publish("first")
	topic.Publish("second")
	wg.Wait()
}
