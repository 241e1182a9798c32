// Package bufferedack sends a reply channel along and waits for the receiver's answer.
package bufferedack

type entry struct {
	line    string
	written chan struct{}
}

// A Logger writes its lines in a goroutine of its own.
type Logger struct {
	entries chan entry
	done    chan struct{}
	lines   []string
}

// New starts a logger.
func New() *Logger {
	l := &Logger{entries: make(chan entry, 1), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *Logger) run() {
	for e := range l.entries {
		l.lines = append(l.lines, e.line)
		close(e.written)
	}
	close(l.done)
}

// Log returns when the line is written.
func (l *Logger) Log(line string) {
	e := entry{line, make(chan struct{})}
	l.entries <- e
	<-e.written
}

// Lines returns the number of lines written. It must not be called during Log.
func (l *Logger) Lines() int { return len(l.lines) }

// Close ends the logger's goroutine.
func (l *Logger) Close() {
	close(l.entries)
	<-l.done
}
