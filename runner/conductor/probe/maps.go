package probe

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// wordSize is the size that is reported of a header, which stands for all the memory
// of a map or channel.
const wordSize = unsafe.Sizeof(uintptr(0))

// MapRead announces a read of m and returns m, for an operation that follows at once.
func MapRead[M ~map[K]V, K comparable, V any](site uint32, m M) M {
	if On {
		point(sched.MapRead, site, *(*uintptr)(unsafe.Pointer(&m)), wordSize)
	}
	return m
}

// MapWrite is MapRead for an operation that writes, with operands that are constants or
// local variables.
func MapWrite[M ~map[K]V, K comparable, V any](site uint32, m M) M {
	if On {
		point(sched.MapWrite, site, *(*uintptr)(unsafe.Pointer(&m)), wordSize)
	}
	return m
}

// MapLen is len(m).
func MapLen[M ~map[K]V, K comparable, V any](site uint32, m M) int { return len(MapRead(site, m)) }

// MapLoad is m[k] where m is read after a call in k.
func MapLoad[M ~map[K]V, K comparable, V any](site uint32, k K, m M) V { return MapRead(site, m)[k] }

// MapLookup is the form of MapLoad with two results.
func MapLookup[M ~map[K]V, K comparable, V any](site uint32, k K, m M) (V, bool) {
	v, ok := MapRead(site, m)[k]
	return v, ok
}

// MapCell is a map that is about to be used with operands that take time.
type MapCell[M ~map[K]V, K comparable, V any] struct{ m M }

// Map makes the MapCell of a map.
func Map[M ~map[K]V, K comparable, V any](m M) MapCell[M, K, V] { return MapCell[M, K, V]{m} }

// Load is m[k].
func (c MapCell[M, K, V]) Load(site uint32, k K) V { return MapRead(site, c.m)[k] }

// Lookup is the form of m[k] with two results.
func (c MapCell[M, K, V]) Lookup(site uint32, k K) (V, bool) {
	v, ok := MapRead(site, c.m)[k]
	return v, ok
}

// Store is m[k] = v.
func (c MapCell[M, K, V]) Store(site uint32, k K, v V) { MapWrite(site, c.m)[k] = v }

// Set is m[k] = v on a map that is not visible.
func (c MapCell[M, K, V]) Set(k K, v V) { c.m[k] = v }

// Key returns k, converted as an index of the map would be.
func (c MapCell[M, K, V]) Key(k K) K { return k }

// Val returns v, converted as an assignment to an element would.
func (c MapCell[M, K, V]) Val(v V) V { return v }

// Delete is delete(m, k).
func (c MapCell[M, K, V]) Delete(site uint32, k K) { delete(MapWrite(site, c.m), k) }

// Clear is clear(m).
func (c MapCell[M, K, V]) Clear(site uint32) { clear(MapWrite(site, c.m)) }
