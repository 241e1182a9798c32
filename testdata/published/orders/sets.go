package orders

const buckets = 4

// hashSet is HashSet: buckets of elements.
type hashSet struct {
	table   [buckets]*link
	size    int
	version int
}

func (h *hashSet) add(x int) {
	if h.contains(x) {
		return
	}
	h.version++
	h.size++
	h.table[x%buckets] = &link{x, h.table[x%buckets]}
}

func (h *hashSet) remove(x int) {
	for p := &h.table[x%buckets]; *p != nil; p = &(*p).next {
		if (*p).value == x {
			h.version++
			h.size--
			*p = (*p).next
			return
		}
	}
}

func (h *hashSet) contains(x int) bool {
	for l := h.table[x%buckets]; l != nil; l = l.next {
		if l.value == x {
			return true
		}
	}
	return false
}

func (h *hashSet) clear() {
	h.version++
	h.size = 0
	for i := range h.table {
		h.table[i] = nil
	}
}

func (h *hashSet) iterator() iterator {
	i := &hashIterator{h: h, version: h.version, bucket: -1}
	i.advance()
	return i
}

type hashIterator struct {
	h       *hashSet
	bucket  int
	at      *link
	version int
}

func (i *hashIterator) advance() {
	if i.at != nil {
		i.at = i.at.next
	}
	for i.at == nil && i.bucket < buckets-1 {
		i.bucket++
		i.at = i.h.table[i.bucket]
	}
}

func (i *hashIterator) more() bool { return i.at != nil }

func (i *hashIterator) next() (int, error) {
	if i.version != i.h.version {
		return 0, errModified
	}
	x := i.at.value
	i.advance()
	return x, nil
}

// linkedHashSet is LinkedHashSet: a hash set that knows the order of insertion.
type linkedHashSet struct {
	hashSet
	order chain
}

func (l *linkedHashSet) add(x int) {
	if !l.contains(x) {
		l.hashSet.add(x)
		l.order.add(x)
	}
}

func (l *linkedHashSet) remove(x int) {
	if l.contains(x) {
		l.hashSet.remove(x)
		l.order.remove(x)
	}
}

func (l *linkedHashSet) clear() {
	l.hashSet.clear()
	l.order.clear()
}

func (l *linkedHashSet) iterator() iterator { return l.order.iterator() }

// treeSet is TreeSet: a search tree, here without balance.
type treeSet struct {
	root    *node
	version int
}

type node struct {
	value       int
	left, right *node
}

// place returns where x is or would be.
func (t *treeSet) place(x int) **node {
	p := &t.root
	for *p != nil && (*p).value != x {
		if x < (*p).value {
			p = &(*p).left
		} else {
			p = &(*p).right
		}
	}
	return p
}

func (t *treeSet) add(x int) {
	if p := t.place(x); *p == nil {
		t.version++
		*p = &node{value: x}
	}
}

func (t *treeSet) remove(x int) {
	p := t.place(x)
	n := *p
	if n == nil {
		return
	}
	t.version++
	switch {
	case n.left == nil:
		*p = n.right
	case n.right == nil:
		*p = n.left
	default: // the least of the greater ones takes its place
		least := &n.right
		for (*least).left != nil {
			least = &(*least).left
		}
		n.value = (*least).value
		*least = (*least).right
	}
}

func (t *treeSet) contains(x int) bool { return *t.place(x) != nil }

func (t *treeSet) clear() {
	t.version++
	t.root = nil
}

func (t *treeSet) iterator() iterator {
	i := &treeIterator{t: t, version: t.version}
	i.at = i.above(nil)
	return i
}

// treeIterator goes through a tree in ascending order.
type treeIterator struct {
	t       *treeSet
	at      *node
	version int
}

// above returns the node with the least value above n's, or the least of all.
func (i *treeIterator) above(n *node) *node {
	var found *node
	for m := i.t.root; m != nil; {
		if n == nil || m.value > n.value {
			found, m = m, m.left
		} else {
			m = m.right
		}
	}
	return found
}

func (i *treeIterator) more() bool { return i.at != nil }

func (i *treeIterator) next() (int, error) {
	if i.version != i.t.version {
		return 0, errModified
	}
	x := i.at.value
	i.at = i.above(i.at)
	return x, nil
}
