// Package aba pops from a lock-free stack by compare-and-swap of the top alone, which may have been popped and pushed again meanwhile.
//
// Expect: fail
package aba

import "sync/atomic"

// A FreeList holds the numbers of free slots, from 1.
type FreeList struct {
	head atomic.Uint32 // 0 if empty
	next []atomic.Uint32
}

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
		slot := f.head.Load()
		if slot == 0 {
			return 0
		}
		next := f.next[slot].Load()
		if f.head.CompareAndSwap(slot, next) {
			return slot
		}
	}
}

// Push gives a slot back.
func (f *FreeList) Push(slot uint32) {
	for {
		head := f.head.Load()
		f.next[slot].Store(head)
		if f.head.CompareAndSwap(head, slot) {
			return
		}
	}
}
