// Package aba counts the changes of a lock-free stack beside its top, so that a compare-and-swap notices every change.
package aba

import "sync/atomic"

// A FreeList holds the numbers of free slots, from 1.
type FreeList struct {
	head atomic.Uint64 // changes<<32 | slot, slot 0 if empty
	next []atomic.Uint32
}

const change = 1 << 32

// New returns a list of the slots 1 to n; slot 1 is its head.
func New(n int) *FreeList {
	f := &FreeList{next: make([]atomic.Uint32, n+1)}
	for slot := uint32(n); slot > 0; slot-- {
		f.Push(slot)
	}
	return f
}

// Pop takes a slot, or returns 0 if there is none.
func (f *FreeList) Pop() uint32 {
	for {
		head := f.head.Load()
		slot := uint32(head)
		if slot == 0 {
			return 0
		}
		next := uint64(f.next[slot].Load())
		if f.head.CompareAndSwap(head, (head-uint64(slot)+change)|next) {
			return slot
		}
	}
}

// Push gives a slot back.
func (f *FreeList) Push(slot uint32) {
	for {
		head := f.head.Load()
		top := uint32(head)
		f.next[slot].Store(top)
		if f.head.CompareAndSwap(head, (head-uint64(top)+change)|uint64(slot)) {
			return
		}
	}
}
