package addinside

import (
	"sync/atomic"
	"testing"
)

func TestRun(t *testing.T) {
	var ran atomic.Int32
	task := func() { ran.Add(1) }
	Run(task, task)
	if n := ran.Load(); n != 2 {
		t.Errorf("%d tasks ran before Run returned, want 2", n)
	}
}
