package goroutine

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

func abort(ctx context.Context) bool {
	aborted := false
	stop := context.AfterFunc(ctx, func() { aborted = true }) // want `aborted is written here and read by another goroutine`
	stop()
	return aborted
}

func abortOrWait(ctx context.Context) bool {
	aborted := false
	ran := make(chan bool)
	stop := context.AfterFunc(ctx, func() {
		aborted = true
		close(ran)
	})
	if !stop() {
		<-ran
	}
	return aborted
}

func abortInTime(ctx context.Context) bool {
	aborted := false
	stop := context.AfterFunc(ctx, func() { aborted = true })
	if stop() {
		return aborted
	}
	return true
}

func timerInTime() bool {
	late := false
	t := time.AfterFunc(time.Second, func() { late = true })
	if t.Stop() {
		return late
	}
	return true
}

type source struct {
	mu   sync.Mutex
	next func() (int, bool)
	stop func()
	step func() (int, bool)
}

func newSource(seq iter.Seq[int], step func() (int, bool)) *source {
	s := &source{step: step}
	s.next, s.stop = iter.Pull(seq)
	return s
}

func (s *source) Next() int {
	n, _ := s.next() // want `the iterator source.next is written here and written by another goroutine`
	return n
}

func (s *source) NextLocked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, _ := s.next()
	return n
}

func (s *source) Step() int {
	n, _ := s.step()
	return n
}

func pull(s *source) {
	go s.Next()
	go s.Next()
	go s.NextLocked()
	go s.NextLocked()
	go s.Step()
	go s.Step()
}

func pullLocal(seq iter.Seq[int]) {
	next, stop := iter.Pull(seq)
	defer stop()
	go func() {
		next() // want `the iterator next is written here and written by another goroutine`
	}()
	go func() { next() }()
}

type paths struct{ prefix, exact []string }

func newPaths(root string) *paths {
	return &paths{prefix: make([]string, 1, 4), exact: []string{root}}
}

func (p *paths) join(e string) []string { return append(p.prefix, e) } // want `the spare capacity of paths.prefix is written here and written by another goroutine`

func (p *paths) joinExact(e string) []string { return append(p.exact, e) }

func (p *paths) joinCopy(e string) []string { return append(slices.Clip(p.prefix), e) }

func joins(p *paths) {
	for _, e := range []string{"a", "b"} {
		go p.join(e)
		go p.joinExact(e)
		go p.joinCopy(e)
	}
}

func joinLocal(args []string, use func([]string)) {
	base := append([]string{"go"}, args...)
	for _, e := range args {
		go func() {
			use(append(base, e)) // want `the spare capacity of base is written here and written by another goroutine`
		}()
	}
}

// An either does not always have the functions of an iter.Pull.
type either struct {
	next  func() (int, bool)
	other func() (int, bool)
	exact []string
	grown []string
}

func makeStep() (func() (int, bool), func()) { return nil, nil }

func newEither(seq iter.Seq[int], step func() (int, bool)) *either {
	e := &either{exact: make([]string, 2, 2)}
	e.other, _ = makeStep()
	if e.next = step; step == nil {
		e.next, _ = iter.Pull(seq)
	}
	return e
}

func (e *either) Next()                  { e.next() }
func (e *either) Other()                 { e.other() }
func (e *either) Join(s string) []string { return append(e.exact, s) }
func (e *either) grow(s string) {
	e.grown = append(e.grown, s) // want `either.grown is written here and read by another goroutine`
}

func eithers(e *either) {
	for range 2 {
		go e.Next()
		go e.Other()
		go e.Join("a")
		go e.grow("a")
	}
}
