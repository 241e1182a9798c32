// Package linkedlist searches the end of the list and inserts in one critical section.
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last().next = &node{value: value}
}

// Len returns the number of values.
func (l *List) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := 0
	for n := l.head.next; n != nil; n = n.next {
		count++
	}
	return count
}
