package main

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

type A struct {
	i32 int32
	u64 uint64
	ptr unsafe.Pointer
	n   atomic.Int64
	b   atomic.Bool
	p   atomic.Pointer[T]
	v   atomic.Value
	*counter
}

type counter struct{ atomic.Uint32 }

type id int32

func args() (*int32, int32) { return &ga.i32, 4 }

var ga A

var _ = part(func() {
	a := &A{counter: &counter{}}
	atomic.AddInt32(&a.i32, 1)
	atomic.StoreUint64(&a.u64, 1<<40)
	d := int32(2)
	fmt.Println(atomic.AddInt32(&a.i32, d), atomic.LoadUint64(&a.u64), atomic.SwapInt32(&a.i32, 9))
	fmt.Println(atomic.CompareAndSwapInt32(&a.i32, 9, int32(next()*0)), a.i32)
	atomic.StorePointer(&a.ptr, nil)
	atomic.StorePointer(&a.ptr, unsafe.Pointer(a))
	fmt.Println(atomic.LoadPointer(&a.ptr) == unsafe.Pointer(a))
	atomic.AddInt32(args())
	atomic.OrInt32(&ga.i32, 3)
	atomic.AndInt32(&ga.i32, 6)
	fmt.Println(ga.i32)
	a.n.Add(3)
	a.n.Store(a.n.Load() + 1)
	a.n.Or(8)
	fmt.Println(a.n.Swap(2), a.n.CompareAndSwap(2, 3), a.n.And(1), a.n.Load())
	a.b.Store(a.n.Load() == 1)
	a.p.Store(nil)
	a.p.Store(&T{n: 3})
	fmt.Println(a.b.Load(), a.p.Load().n, a.p.CompareAndSwap(nil, nil), a.p.Swap(nil).n)
	a.v.Store("x")
	fmt.Println(a.v.Load(), a.v.Swap("y"), a.v.CompareAndSwap("y", "z"), a.v.Load().(string))
	a.Add(2)
	a.counter.Add(2)
	a.Uint32.Store(a.Load() * 2)
	fmt.Println(a.Uint32.Load())
	f := atomic.AddInt32
	f(&a.i32, 2)
	m := a.n.Add
	m(2)
	defer a.n.Add(1)
	defer atomic.AddInt32(&a.i32, 1)
	var i id
	fmt.Println(atomic.AddInt32((*int32)(&i), 4), i, a.i32)
	list := []atomic.Int32{{}, {}}
	list[next()%2].Add(1)
	fmt.Println(list[0].Load() + list[1].Load())
	try("nil atomic", func() { var p *A; p.n.Add(1) })
	try("nil pointer", func() { var p *int32; atomic.AddInt32(p, 1) })
})
