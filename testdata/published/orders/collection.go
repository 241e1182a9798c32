// Package orders is the programs of table 1 of K. Sen, Effective Random Testing of
// Concurrent Programs (RAPOS, ASE 2007), in Go: collections after those of java.util, three
// small programs of synchronisation, and three numeric ones after the Java Grande benchmarks.
// cmd/cooprun, TestPublished, counts the partial orders that strategies sample of them.
package orders

import "errors"

// errModified is java.util's ConcurrentModificationException.
var errModified = errors.New("the collection has been modified during an iteration")

// A collection is one of java.util's: not synchronised, with iterators that fail when the
// collection has been modified since they were made.
type collection interface {
	add(x int)
	remove(x int)
	contains(x int) bool
	clear()
	iterator() iterator
}

// An iterator returns elements one by one.
type iterator interface {
	more() bool
	next() (int, error)
}

// array is ArrayList and Vector.
type array struct {
	elements []int
	version  int
}

func (a *array) add(x int) {
	a.version++
	a.elements = append(a.elements, x)
}

func (a *array) remove(x int) {
	for i := range a.elements {
		if a.elements[i] == x {
			a.version++
			a.elements = append(a.elements[:i], a.elements[i+1:]...)
			return
		}
	}
}

func (a *array) contains(x int) bool {
	for i := range a.elements {
		if a.elements[i] == x {
			return true
		}
	}
	return false
}

func (a *array) clear() {
	a.version++
	a.elements = a.elements[:0]
}

func (a *array) iterator() iterator { return &arrayIterator{a: a, version: a.version} }

type arrayIterator struct {
	a       *array
	at      int
	version int
}

func (i *arrayIterator) more() bool { return i.at != len(i.a.elements) }

func (i *arrayIterator) next() (int, error) {
	if i.version != i.a.version || i.at >= len(i.a.elements) {
		return 0, errModified
	}
	i.at++
	return i.a.elements[i.at-1], nil
}

// chain is LinkedList.
type chain struct {
	head, tail *link
	version    int
}

type link struct {
	value int
	next  *link
}

func (c *chain) add(x int) {
	c.version++
	l := &link{value: x}
	if c.head == nil {
		c.head = l
	} else {
		c.tail.next = l
	}
	c.tail = l
}

func (c *chain) remove(x int) {
	var before *link
	for l := c.head; l != nil; before, l = l, l.next {
		if l.value != x {
			continue
		}
		c.version++
		if before == nil {
			c.head = l.next
		} else {
			before.next = l.next
		}
		if c.tail == l {
			c.tail = before
		}
		return
	}
}

func (c *chain) contains(x int) bool {
	for l := c.head; l != nil; l = l.next {
		if l.value == x {
			return true
		}
	}
	return false
}

func (c *chain) clear() {
	c.version++
	c.head, c.tail = nil, nil
}

func (c *chain) iterator() iterator { return &chainIterator{c: c, at: c.head, version: c.version} }

type chainIterator struct {
	c       *chain
	at      *link
	version int
}

func (i *chainIterator) more() bool { return i.at != nil }

func (i *chainIterator) next() (int, error) {
	if i.version != i.c.version {
		return 0, errModified
	}
	x := i.at.value
	i.at = i.at.next
	return x, nil
}

// addAll is AbstractCollection.addAll, with the elements of another collection.
func addAll(c collection, elements []int) {
	for _, x := range elements {
		c.add(x)
	}
}

// containsAll is AbstractCollection.containsAll.
func containsAll(c collection, other iterator) (bool, error) {
	for other.more() {
		x, err := other.next()
		if err != nil {
			return false, err
		}
		if !c.contains(x) {
			return false, nil
		}
	}
	return true, nil
}

// toArray returns the elements of a collection that nobody else uses.
func toArray(c collection) ([]int, error) {
	var elements []int
	for i := c.iterator(); i.more(); {
		x, err := i.next()
		if err != nil {
			return nil, err
		}
		elements = append(elements, x)
	}
	return elements, nil
}
