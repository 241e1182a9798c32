// Package main lets pointers and functions go through the standard library.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand"
	"net/url"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

type item struct{ n int }

// printing keeps nothing.
func printing() {
	v := &item{}
	s := fmt.Sprint(v)
	v.n = len(s) // want unshared
}

// printed is printed by another goroutine while it is written.
func printed() {
	v := &item{}
	go fmt.Println(v)
	v.n++ // want unprotected
}

var pool = sync.Pool{New: func() any { return &item{} }}

// pooled objects have one user at a time, but that is not known.
func pooled() {
	v := pool.Get().(*item)
	v.n++ // want unprotected
	pool.Put(v)
}

func syncMap() {
	var m sync.Map
	v := &item{}
	m.Store(1, v)
	go m.Range(func(_, x any) bool {
		x.(*item).n++ // want unprotected
		return true
	})
	v.n++ // want unprotected
}

func onceFunc() {
	v := &item{}
	f := sync.OnceFunc(func() {
		v.n++ // want read-only, unprotected
	})
	go f()
	v.n++ // want read-only, unprotected
}

// onceValue gives the same object to all.
func onceValue() {
	f := sync.OnceValue(func() *item { return &item{} })
	for range 2 {
		go func() {
			f().n++ // want read-only, unprotected
		}()
	}
	g := sync.OnceValues(func() (*item, error) { return &item{}, nil })
	go func() {
		v, _ := g()
		v.n++ // want unprotected
	}()
	v, _ := g()
	v.n++ // want unprotected
}

// eachTime makes another object for each.
func eachTime() {
	f := func() *item { return &item{} }
	for range 2 {
		go func() {
			f().n++ // want ordered, read-only
		}()
	}
}

var onceGlobal = sync.OnceValue(func() map[int]int { return map[int]int{} })

func setOnce() {
	onceGlobal()[1] = 2 // want read-only, unprotected
}

// lazy is set once, before it is read.
type lazy struct {
	once sync.Once
	v    int
}

func (l *lazy) get() int {
	l.once.Do(func() { l.v = 1 }) // want locked, unshared
	return l.v                    // want locked, unshared
}

// hasty does not ask the Once.
type hasty struct {
	once sync.Once
	v    int
}

func (h *hasty) get() int {
	h.once.Do(func() { h.v = 1 }) // want unprotected, unshared
	return h.v                    // want unprotected, unshared
}

func (h *hasty) peek() int { return h.v } // want unprotected

func onces() {
	l := &lazy{}
	go l.get()
	l.get()
	h := &hasty{}
	go h.get()
	h.peek()
}

func lists() {
	l := list.New()
	v := &item{}
	l.PushBack(v)
	e := l.Front()
	go func() {
		e.Value.(*item).n++ // want ordered, unprotected, unshared
	}()
	v.n++ // want unprotected
}

type source struct{ n int }

func (s *source) Read(p []byte) (int, error) {
	s.n++ // want unprotected
	return 0, io.EOF
}

// readers call a method of what they were given, whoever uses them.
func readers() {
	s := &source{}
	r := bufio.NewReader(s)
	go r.ReadByte()
	r.ReadByte()
}

type myError struct{ n int }

func (*myError) Error() string { return "" }

func errorsAs() {
	e := &myError{}
	err := fmt.Errorf("x: %w", e)
	go func() {
		var m *myError
		if errors.As(err, &m) {
			m.n++ // want ordered, unprotected
		}
	}()
	e.n++ // want unprotected
}

func iterators() {
	m := map[int]*item{1: {}}
	v := m[1]
	go func() {
		for x := range maps.Values(m) { // want unshared
			x.n++ // want unprotected
		}
	}()
	v.n++ // want unprotected
}

func insert() {
	s := make([]item, 1, 4)
	t := slices.Insert(s, 1, item{})
	go func() {
		t[0].n++ // want unprotected, unshared
	}()
	s[0].n++ // want unprotected
}

func notified() {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch)
	v := &item{}
	time.AfterFunc(time.Second, func() {
		v.n++ // want read-only, unprotected
	})
	v.n++ // want read-only, unprotected
}

func unsafely() {
	v := &item{}
	p := unsafe.Pointer(v)
	go use((*int)(p))
	v.n++ // want unprotected
}

func use(p *int) { *p++ } // want unprotected

type recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
	tags url.Values
	free bytes.Buffer
}

// record calls functions that access what they are called with.
func (r *recorder) record(s string) {
	r.mu.Lock()
	r.text.WriteString(s)  // want locked
	fmt.Fprint(&r.text, s) // want locked
	r.tags.Set(s, s)       // want locked, read-only
	r.mu.Unlock()
	r.free.WriteString(s) // want unprotected
}

func recording() {
	r := &recorder{tags: url.Values{}}
	go r.record("a")
	r.record("b")
	var own strings.Builder
	own.WriteString("c") // want unshared
	words := []string{"b", "a"}
	slices.Sort(words) // want unshared
}

type counting struct{ n int64 }

func (c *counting) Int63() int64 {
	c.n++      // want unprotected
	return c.n // want unprotected
}

func (c *counting) Seed(int64) {}

func (c *counting) ReadAt([]byte, int64) (int, error) {
	c.n++ // want unprotected
	return 0, io.EOF
}

// through are calls of methods by objects of the library that have been given the object.
func through() {
	r := rand.New(&counting{})
	go r.Int63()
	r.Int63()
	s := io.NewSectionReader(&counting{}, 0, 1)
	go s.Read(nil)
	s.Read(nil)
}

// ownContext is a context of the program's.
type ownContext struct {
	context.Context
	asked int
	told  int
}

func (c *ownContext) Done() <-chan struct{} {
	c.asked++ // want unprotected
	return nil
}

func (c *ownContext) Err() error {
	c.told++ // want unprotected
	return nil
}

type quietContext struct {
	context.Context
	asked int
}

func (c *quietContext) Err() error {
	c.asked++ // want unshared
	return nil
}

func watched() {
	c := &ownContext{Context: context.Background()}
	ctx, cancel := context.WithCancel(c)
	cancel()
	ctx.Err()
	d := &ownContext{Context: context.Background()}
	context.AfterFunc(d, func() {})
	d.told++ // want unprotected
	q := &quietContext{Context: context.Background()}
	q.Err()
}

func render(w io.Writer) { fmt.Fprintf(w, "x") }

// written is memory of objects of the library that functions write which read the rest.
func written() {
	a, b, c := make([]byte, 1), make([]byte, 1), make([]byte, 1)
	go render(bytes.NewBuffer(a[:0]))
	println(a[0]) // want unprotected
	l := log.New(bytes.NewBuffer(b[:0]), "", 0)
	go l.Print("x")
	println(b[0]) // want unprotected
	go fmt.Sprint(bytes.NewBuffer(c))
	println(c[0]) // want read-only
	d := &item{}
	go fmt.Sprint(d)
	println(d.n) // want read-only
	var m runtime.MemStats
	go runtime.ReadMemStats(&m)
	m.GCSys++ // want unprotected
}

func either() {
	v := &item{}
	w := cmp.Or(nil, v)
	go func() {
		w.n++ // want unprotected, unshared
	}()
	v.n++ // want unprotected
}

func main() {
	through()
	watched()
	written()
	either()
	recording()
	inBox()
	printing()
	printed()
	go pooled()
	pooled()
	syncMap()
	onceFunc()
	onceValue()
	eachTime()
	go setOnce()
	setOnce()
	onces()
	lists()
	readers()
	errorsAs()
	iterators()
	insert()
	notified()
	unsafely()
}

// box has a lock that code which is not analysed can reach.
type box struct{ mu sync.Mutex }

type boxed struct {
	b *box
	n int
}

func (x *boxed) inc() {
	reflect.ValueOf(x.b)
	x.b.mu.Lock()
	x.n++ // want unshared
	x.b.mu.Unlock()
}

func inBox() {
	x := &boxed{b: &box{}}
	x.inc()
}
