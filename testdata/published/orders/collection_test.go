package orders

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func TestArrayList(t *testing.T) {
	drive(t, &synchronized{c: &array{}}, &synchronized{c: &array{}})
}

func TestVector(t *testing.T) {
	drive(t, &synchronized{c: &array{}, vector: true}, &synchronized{c: &array{}, vector: true})
}

func TestLinkedList(t *testing.T) {
	drive(t, &synchronized{c: &chain{}}, &synchronized{c: &chain{}})
}

func TestHashSet(t *testing.T) {
	drive(t, &synchronized{c: &hashSet{}}, &synchronized{c: &hashSet{}})
}

func TestLinkedHashSet(t *testing.T) {
	drive(t, &synchronized{c: &linkedHashSet{}}, &synchronized{c: &linkedHashSet{}})
}

func TestTreeSet(t *testing.T) {
	drive(t, &synchronized{c: &treeSet{}}, &synchronized{c: &treeSet{}})
}

// drive is the paper's test driver: a goroutine for each of seven methods, on either of
// two collections, each with an element drawn from three. All draw from one generator, which has
// a lock.
func drive(t *testing.T, a, b *synchronized) {
	var generator sync.Mutex
	draw := func() int {
		generator.Lock()
		defer generator.Unlock()
		return rand.IntN(3)
	}
	var invalid error
	inTurn(
		func() { a.add(draw()) },
		func() { draw(); b.addAll(a) },
		func() { draw(); a.clear() },
		func() { b.contains(draw()) },
		func() { draw(); invalid = a.containsAll(b) },
		func() { b.remove(draw()) },
		func() { draw(); a.removeAll(b) },
	)
	if invalid != nil {
		t.Error(invalid)
	}
}
