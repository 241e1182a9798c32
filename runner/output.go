package runner

import "sync"

// tail keeps the last bytes that a process wrote, so that the cause of its death can
// be read from them whatever the amount that trials print.
type tail struct {
	mu   sync.Mutex
	max  int
	data []byte
}

// Write implements io.Writer and never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if len(t.data) > 2*t.max { // amortise the move
		t.data = append(t.data[:0], t.data[len(t.data)-t.max:]...)
	}
	return len(p), nil
}

// Reset forgets what was written.
func (t *tail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = t.data[:0]
}

// String returns the end of the output, at most max bytes.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data[max(0, len(t.data)-t.max):])
}
