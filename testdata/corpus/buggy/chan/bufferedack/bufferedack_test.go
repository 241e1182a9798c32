package bufferedack

import (
	"runtime"
	"testing"
)

func TestLog(t *testing.T) {
	l := New()
	defer l.Close()
	runtime.Gosched() // the logger is usually ready first
	l.Log("started")
	runtime.Gosched()
	if n := l.Lines(); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
}
