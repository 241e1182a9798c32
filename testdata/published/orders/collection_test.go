package orders

import (
	"math/rand/v2"
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
// two collections, each with an element drawn from three.
func drive(t *testing.T, a, b *synchronized) {
	add, contain, remove := rand.IntN(3), rand.IntN(3), rand.IntN(3)
	var invalid error
	inTurn(
		func() { a.add(add) },
		func() { b.addAll(a) },
		func() { a.clear() },
		func() { b.contains(contain) },
		func() { invalid = a.containsAll(b) },
		func() { b.remove(remove) },
		func() { a.removeAll(b) },
	)
	if invalid != nil {
		t.Error(invalid)
	}
}
