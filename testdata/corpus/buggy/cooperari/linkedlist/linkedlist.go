// Package linkedlist searches the end of the list outside the lock that protects the insertion.
//
// Expect: race|fail
package linkedlist

import "sync"

type node struct {
	value int
	next  *node
}

// A List starts with a node that holds no value.
type List struct {
	mu   sync.Mutex
	head node
}

func (l *List) last() *node {
	n := &l.head
	for n.next != nil {
		n = n.next
	}
	return n
}

// Add appends a value.
func (l *List) Add(value int) {
	last := l.last()
	l.mu.Lock()
	last.next = &node{value: value}
	l.mu.Unlock()
}

// Len returns the number of values.
func (l *List) Len() int {
	count := 0
	for n := l.head.next; n != nil; n = n.next {
		count++
	}
	return count
}
