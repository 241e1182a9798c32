package sched

import "testing"

func TestDependent(t *testing.T) {
	mem := func(k Kind, obj, size uintptr) Op { return Op{Kind: k, Object: obj, Size: size} }
	obj := func(k Kind, obj uintptr) Op { return Op{Kind: k, Object: obj} }
	sel := func(chans ...uintptr) Op { return Op{Kind: Select, More: chans} }
	tests := []struct {
		name string
		a, b Op
		want bool
	}{
		{"two reads", mem(Read, 8, 8), mem(Read, 8, 8), false},
		{"read and write", mem(Read, 8, 8), mem(Write, 8, 8), true},
		{"write of a part", mem(Read, 8, 16), mem(Write, 16, 4), true},
		{"neighbours", mem(Write, 8, 8), mem(Write, 16, 8), false},
		{"atomic load and plain read", mem(AtomicLoad, 8, 1), mem(Read, 8, 8), false},
		{"atomic add twice", mem(AtomicRMW, 8, 1), mem(AtomicRMW, 8, 1), true},
		{"locks of one mutex", obj(Lock, 8), obj(Lock, 8), true},
		{"locks of two mutexes", obj(Lock, 8), obj(Lock, 16), false},
		{"two read locks", obj(RLock, 8), obj(RLock, 8), false},
		{"read lock and write lock", obj(RLock, 8), obj(WLock, 8), true},
		{"counters commute", obj(WaitGroupAdd, 8), obj(WaitGroupAdd, 8), false},
		{"counter and wait", obj(WaitGroupAdd, 8), obj(WaitGroupWait, 8), true},
		{"two waits", obj(WaitGroupWait, 8), obj(WaitGroupWait, 8), false},
		{"no object", obj(Send, 0), obj(Recv, 0), false},
		{"select of the channel", sel(8, 16), obj(Send, 16), true},
		{"select of others", sel(8, 16), obj(Send, 24), false},
		{"select and length", sel(8), obj(ChanLen, 8), true},
		{"selects that share", sel(8, 16), sel(24, 16), true},
		{"selects that do not", sel(8, 16), sel(24), false},
		{"select of nil channels", sel(0), sel(0), false},
		{"start", obj(Start, 0), mem(Write, 8, 8), false},
	}
	for _, tt := range tests {
		if got := Dependent(&tt.a, &tt.b); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if got := Dependent(&tt.b, &tt.a); got != tt.want {
			t.Errorf("%s, the other way round: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k := range NumKinds {
		if got, ok := KindByName(k.String()); !ok || got != k {
			t.Errorf("kind %d is %q, which means %d", k, k, got)
		}
	}
}
