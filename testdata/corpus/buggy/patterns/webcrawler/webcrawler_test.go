package webcrawler

import (
	"sync"
	"testing"
)

func TestShutdown(t *testing.T) {
	workers := make([]Worker, 2)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(workers[i].Crawl)
	}
	for i := range workers {
		workers[i].Finish()
	}
	wg.Wait()
	for i := range workers {
		if workers[i].connection != nil {
			t.Errorf("worker %d is still connected", i)
		}
	}
}
