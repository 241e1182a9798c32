// Package bufferedack takes a completed send on a buffered channel for proof that the receiver has worked on the value.
//
// Expect: race|fail
package bufferedack

// A Logger writes its lines in a goroutine of its own.
type Logger struct {
	entries chan string
	done    chan struct{}
	lines   []string
}

// New starts a logger.
func New() *Logger {
	l := &Logger{entries: make(chan string, 1), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *Logger) run() {
	for line := range l.entries {
		l.lines = append(l.lines, line)
	}
	close(l.done)
}

// Log returns when the line is written.
func (l *Logger) Log(line string) { l.entries <- line }

// Lines returns the number of lines written.
func (l *Logger) Lines() int { return len(l.lines) }

// Close ends the logger's goroutine.
func (l *Logger) Close() {
	close(l.entries)
	<-l.done
}
