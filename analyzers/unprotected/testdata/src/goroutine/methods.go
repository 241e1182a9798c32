package goroutine

import (
	"context"
	"io"
	"sync"
)

// A logger is known: no type here that is one synchronises anything.
type logger interface{ log(string) }

type lines []string

func (l *lines) log(s string) { *l = append(*l, s) }

type nothing struct{}

func (nothing) log(string) {}

// A notifier may be a channel.
type notifier interface{ notify() }

type byChan chan bool

func (c byChan) notify() { c <- true }

type byNothing struct{}

func (byNothing) notify() {}

func logged(l logger) (n int) {
	go func() {
		l.log("before")
		n++ // want `n is written here and read by another goroutine`
		l.log("after")
	}()
	l.log("meanwhile")
	return n
}

func notified(w notifier) {
	notified := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w.notify()
			notified++
			w.notify()
		})
	}
	wg.Wait()
}

type byteCount struct{}

func (byteCount) WriteByte(byte) error { return nil }

// What a ByteWriter does is not known from the types that happen to be here.
func written(w io.ByteWriter) {
	written := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w.WriteByte(1)
			written++
			w.WriteByte(2)
		})
	}
	wg.Wait()
}

func cancelled(ctx context.Context) {
	cancelled, asked := 0, 0
	go func() {
		for ctx.Err() == nil {
		}
		cancelled++
	}()
	go func() {
		<-ctx.Done()
		cancelled = 0 // want `cancelled is written here and read by another goroutine`
	}()
	go func() {
		ctx.Value(nil)
		asked++
	}()
	ctx.Value(nil)
	asked = 0 // want `asked is written here and read by another goroutine`
	ctx.Value(nil)
}

// isCancelled learns from the context that the other is done.
func isCancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	go func() {
		n++
		cancel()
	}()
	go func() {
		if ctx.Err() != nil {
			n++
		}
	}()
}

// missing calls a method of nothing.
func missing() {
	var l logger
	go func() { l.log("") }()
	logger(nil).log("")
}
