package atomics

import (
	"sync/atomic"
	"time"
)

type block struct {
	written atomic.Int32
	read    atomic.Int32
	buf     [1024]byte
}

type writer struct{ block *block }

// emit is the only writer: it fills the buffer without a lock.
func (w *writer) emit(p byte) {
	b := w.block
	i := b.written.Load()
	b.buf[i] = p
	b.written.Store(i + 1)
}

func (w *writer) skip(out *writer) {
	i := w.block.read.Load()
	out.block.buf[0] = 1
	w.block.read.Store(i + 1) // want `w.block.read is stored after it was loaded`
}

var lastUse, created atomic.Int64

func use() int64 {
	t := lastUse.Load()
	if t == 0 {
		t = time.Now().UnixNano()
		lastUse.Store(t)
	}
	return t
}

func createOnce(create func() int64) {
	if created.Load() == 0 {
		created.Store(create()) // want `created is tested and set in two steps`
	}
}

type ticket struct{ served atomic.Int64 }

func (t *ticket) Now() int64 { println("served"); return 1 }

func serve(t *ticket) {
	if t.served.Load() == 0 {
		t.served.Store(t.Now()) // want `t.served is tested and set in two steps`
	}
}
