package golden

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

type inner struct{ a, b int }

func (i inner) sum() int { return i.a + i.b }
func (i *inner) inc()    { i.a++ }

type outer struct {
	inner
	*sync.Mutex
	arr   [3]int
	list  []inner
	byKey map[string]*inner
	n     int64
	count atomic.Int64
	any   interface{ sum() int }
	f     func(int) int
}

var shared outer

func reads(o *outer, i int) (int, bool) {
	o.Lock()
	defer o.Unlock()
	shared.inc()
	_ = shared.sum()
	_ = o.a + o.inner.b
	_ = o.arr[i] + len(o.arr) + len(o.list)
	_ = o.list[i].a
	_ = o.list[1:i]
	_ = o.arr[:]
	_ = &o.arr[i]
	_ = o.f(o.any.sum())
	_ = o.byKey["x"].a
	_ = *o
	_ = unsafe.Sizeof(o.n)
	atomic.AddInt64(&o.n, 1)
	o.count.Add(2)
	delete(o.byKey, "x")
	clear(o.byKey)
	copy(o.list, o.list[1:])
	f := o.sum
	local := inner{}
	local.a = f()
	v, ok := o.any.(inner)
	return local.a + v.a, ok && o.n > 0
}
