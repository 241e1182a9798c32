package cleanup

import (
	"runtime"
	"testing"
)

func TestServer(t *testing.T) {
	s := New()
	t.Cleanup(s.Close)
	go s.Serve()
	runtime.Gosched() // usually enough for one request
}
