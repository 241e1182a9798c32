package probe

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// record turns the probes on during f and returns what they announce: kind, site, and
// the value of the word at the address at that moment.
func record(f func()) []string {
	var got []string
	Hook = func(kind sched.Kind, site uint32, addr, size uintptr) {
		s := fmt.Sprint(kind, " ", site, " ", size)
		switch kind {
		case sched.MapRead, sched.MapWrite, sched.ChanLen: // a header has no value
		default:
			s += fmt.Sprint(" ", *(*int8)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))))
		}
		got = append(got, s)
	}
	On = true
	defer func() { On = false; Hook = nil }()
	f()
	return got
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s announces\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The value that a probe finds at the address tells whether it is before the access.
func TestAnnouncements(t *testing.T) {
	var n int64 = 5
	m := map[string]int{}
	c := make(chan int, 1)
	list := []int32{1, 2, 3}
	var cell atomic.Int32
	var value atomic.Value
	value.Store(byte(0))
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"Load", func() { Load(1, &n) }, []string{"read 1 8 5"}},
		{"Store", func() { At(&n).Store(2, 6) }, []string{"write 2 8 5"}},
		{"Set", func() { At(&n).Set(At(&n).Val(7)) }, nil},
		{"Read", func() { Read(3, &n) }, []string{"read 3 8 7"}},
		{"Write", func() { Write(3, &n) }, []string{"write 3 8 7"}},
		{"Add", func() { Add(4, 1, &n) }, []string{"read 4 8 7", "write 5 8 7"}},
		{"Shl", func() { Shl(4, uint8(2), &n) }, []string{"read 4 8 8", "write 5 8 8"}},
		{"Element", func() { *Element(uint(1), 6, &list) = 4 }, []string{fmt.Sprintf("read 6 24 %d", int8(addrOf(&list[0])))}},
		{"MapRead", func() { _ = MapRead(7, m)["a"] }, []string{"map-read 7 8"}},
		{"MapLen", func() { MapLen(7, m); MapLoad(8, "a", m); MapLookup(9, "a", m) }, []string{"map-read 7 8", "map-read 8 8", "map-read 9 8"}},
		{"nil map", func() { _ = MapRead(7, map[int]int(nil))[1] }, nil},
		{"Map", func() {
			c := Map(m)
			c.Store(8, "a", 1)
			c.Set("b", c.Val(1))
			c.Load(9, c.Key("a"))
			c.Lookup(10, "a")
			c.Delete(11, "a")
			c.Clear(12)
		}, []string{"map-write 8 8", "map-read 9 8", "map-read 10 8", "map-write 11 8", "map-write 12 8"}},
		{"Chan", func() { _ = len(Chan(13, c)) }, []string{"chan-len 13 8"}},
		{"Copy", func() { Copy(14, list, list[1:]) }, []string{"write 14 8 1", "read 15 8 3"}},
		{"CopyString", func() { CopyString(14, []byte{3}, "ab") }, []string{"write 14 1 3"}},
		{"Clear", func() { Clear(16, list) }, []string{"write 16 12 4"}},
		{"nothing", func() { Clear(16, list[:0]); Load(1, new(struct{})) }, nil},
		{"atomic functions", func() {
			AtomicStore(17, atomic.StoreInt64, &n, 1)
			AtomicLoad(18, atomic.LoadInt64, &n)
			AtomicRMW(19, atomic.AddInt64, &n, 1)
			AtomicCAS(20, atomic.CompareAndSwapInt64, &n, 2, 3)
		}, []string{"atomic-store 17 8 32", "atomic-load 18 8 1", "atomic-rmw 19 8 1", "atomic-rmw 20 8 2"}},
		{"atomic types", func() {
			CellStore(21, &cell, 1)
			CellLoad(22, &cell)
			CellAdd(23, &cell, 1)
			CellSwap(24, &cell, 3)
			CellOr(25, &cell, 4)
			CellAnd(26, &cell, 6)
			CellCompareAndSwap(27, &cell, 6, 7)
		}, []string{"atomic-store 21 1 0", "atomic-load 22 1 1", "atomic-rmw 23 1 1", "atomic-rmw 24 1 2", "atomic-rmw 25 1 3", "atomic-rmw 26 1 7", "atomic-rmw 27 1 6"}},
	} {
		want(t, test.name, record(test.f), test.want...)
	}
	if n != 3 || cell.Load() != 7 || len(m) != 0 || list[0] != 0 {
		t.Error("wrong results", n, cell.Load(), m, list)
	}
	got := record(func() {
		ValueStore(1, &value, byte(1))
		ValueSwap(2, &value, byte(2))
		ValueCompareAndSwap(3, &value, byte(2), byte(3))
	})
	if len(got) != 3 || value.Load() != byte(3) {
		t.Error("atomic.Value announces", got, "holds", value.Load())
	}
}

func addrOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// TestUpdates compares every assignment operation with the operator.
func TestUpdates(t *testing.T) {
	const x, v = 0b1101_0110, 5
	for _, test := range []struct {
		name string
		f    func(uint32, int, *int)
		want int
	}{
		{"Add", Add[int], x + v}, {"Sub", Sub[int], x - v}, {"Mul", Mul[int], x * v}, {"Quo", Quo[int], x / v},
		{"Rem", Rem[int], x % v}, {"And", And[int], x & v}, {"Or", Or[int], x | v}, {"Xor", Xor[int], x ^ v},
		{"AndNot", AndNot[int], x &^ v}, {"Shl", Shl[int, int], x << v}, {"Shr", Shr[int, int], x >> v},
	} {
		n := x
		if test.f(1, v, &n); n != test.want {
			t.Errorf("%s: %d, want %d", test.name, n, test.want)
		}
	}
	s := "a"
	if Add(1, "b", &s); s != "ab" {
		t.Error(s)
	}
}

// TestNoAllocation: a probed variable stays on the stack.
func TestNoAllocation(t *testing.T) {
	Hook = func(sched.Kind, uint32, uintptr, uintptr) {}
	On = true
	defer func() { On = false; Hook = nil }()
	if n := testing.AllocsPerRun(100, func() {
		var x struct{ n, m int }
		At(&x.n).Store(1, 3)
		Add(2, 1, &x.m)
		if Load(4, &x).n != 3 {
			t.Error("lost")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprint("on=", on), func(b *testing.B) {
			Hook = func(sched.Kind, uint32, uintptr, uintptr) {}
			On = on
			defer func() { On = false; Hook = nil }()
			var n int
			for b.Loop() {
				Load(1, &n)
			}
		})
	}
}
