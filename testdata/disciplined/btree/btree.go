// Package btree is a store of key-value pairs in a B-tree, under a read-write lock.
package btree

import (
	"slices"
	"sync"
)

const degree = 2 // a node has degree-1 to 2*degree-1 keys, the root fewer

type node struct {
	keys     []int
	values   []string
	children []*node // none in a leaf
}

// Store maps integers to strings.
type Store struct {
	mu   sync.RWMutex
	root *node
	n    int
}

// New returns an empty store.
func New() *Store { return &Store{root: new(node)} }

// Get returns the value of key.
func (s *Store) Get(key int) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for n := s.root; ; {
		i, found := slices.BinarySearch(n.keys, key)
		switch {
		case found:
			return n.values[i], true
		case len(n.children) == 0:
			return "", false
		}
		n = n.children[i]
	}
}

// Len returns the number of keys.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n
}

// Each calls f on all pairs in order of the keys until it returns false.
func (s *Store) Each(f func(key int, value string) bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.root.each(f)
}

func (n *node) each(f func(int, string) bool) bool {
	for i, k := range n.keys {
		if len(n.children) > 0 && !n.children[i].each(f) || !f(k, n.values[i]) {
			return false
		}
	}
	return len(n.children) == 0 || n.children[len(n.keys)].each(f)
}

// Put sets the value of key.
func (s *Store) Put(key int, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.root.full() {
		s.root = &node{children: []*node{s.root}}
		s.root.split(0)
	}
	if s.root.put(key, value) {
		s.n++
	}
}

func (n *node) full() bool { return len(n.keys) == 2*degree-1 }

// put reports whether key is new. n is not full.
func (n *node) put(key int, value string) bool {
	i, found := slices.BinarySearch(n.keys, key)
	switch {
	case found:
		n.values[i] = value
		return false
	case len(n.children) == 0:
		n.keys = slices.Insert(n.keys, i, key)
		n.values = slices.Insert(n.values, i, value)
		return true
	}
	if n.children[i].full() {
		n.split(i)
		if key == n.keys[i] {
			n.values[i] = value
			return false
		}
		if key > n.keys[i] {
			i++
		}
	}
	return n.children[i].put(key, value)
}

// split divides the full child i and moves its middle key up.
func (n *node) split(i int) {
	left := n.children[i]
	right := &node{keys: slices.Clone(left.keys[degree:]), values: slices.Clone(left.values[degree:])}
	if len(left.children) > 0 {
		right.children = slices.Clone(left.children[degree:])
		left.children = left.children[:degree]
	}
	n.keys = slices.Insert(n.keys, i, left.keys[degree-1])
	n.values = slices.Insert(n.values, i, left.values[degree-1])
	n.children = slices.Insert(n.children, i+1, right)
	left.keys, left.values = left.keys[:degree-1], left.values[:degree-1]
}
