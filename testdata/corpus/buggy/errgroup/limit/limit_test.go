package limit

import (
	"sync/atomic"
	"testing"
)

func TestVisit(t *testing.T) {
	var visited atomic.Int32
	Visit(&visited)
	if n := visited.Load(); n != 4 {
		t.Errorf("visited %d, want 4", n)
	}
}
