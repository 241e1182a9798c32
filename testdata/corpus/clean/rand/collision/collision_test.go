package collision

import (
	"sync"
	"testing"
)

func TestJobs(t *testing.T) {
	var j Jobs
	var wg, added sync.WaitGroup
	added.Add(2)
	for _, name := range []string{"build", "test"} {
		wg.Go(func() {
			id := j.Add(name)
			added.Done()
			added.Wait()
			if got := j.Name(id); got != name {
				t.Errorf("job %d is %q, want %q", id, got, name)
			}
		})
	}
	wg.Wait()
}
