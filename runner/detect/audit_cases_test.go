package detect

import "github.com/coopvet/coop/runner/sched"

const (
	anything  = sched.ClaimAny
	unshared  = sched.ClaimUnshared
	readOnly  = sched.ClaimReadOnly
	locked    = sched.ClaimLocked
	ordered   = sched.ClaimOrdered
	atomicly  = sched.ClaimAtomic
	initially = sched.ClaimInitial

	mu, ch, wg = 0x20, 0x30, 0x40
)

// auditCases are executions, with the claim of all accesses and what the audit says: a
// part of the reason, or "" for nothing.
var auditCases = []struct {
	name  string
	claim sched.Claim
	run   func(w *world)
	want  string
}{
	{"unshared: one goroutine", unshared, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.access(g, sched.Read, 2)
	}, ""},
	{"unshared: two goroutines read", unshared, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Read, 1)
		w.access(g, sched.Read, 2)
	}, "two goroutines access it"},
	{"unshared: two goroutines, different memory", unshared, func(w *world) {
		g := w.spawn(0, 1)
		w.bytes(0, sched.Write, 1, 0x1000, 4)
		w.bytes(g, sched.Write, 2, 0x1004, 4)
	}, ""},
	{"unshared: two goroutines, overlapping memory", unshared, func(w *world) {
		g := w.spawn(0, 1)
		w.bytes(0, sched.Write, 1, 0x1002, 9)
		w.bytes(g, sched.Write, 2, 0x100a, 1)
	}, "two goroutines"},
	{"unshared: a whole word, then a byte of it", unshared, func(w *world) {
		g := w.spawn(0, 1)
		w.bytes(0, sched.Write, 1, 0x1000, 8)
		w.bytes(g, sched.Read, 2, 0x1007, 1)
	}, "two goroutines"},
	{"unshared: a subtest and its parent", unshared, func(w *world) {
		w.access(0, sched.Write, 1)
		sub := w.spawn(0, 3)
		w.access(sub, sched.Write, 2)
		subsub := w.spawn(sub, 3)
		w.access(subsub, sched.Write, 2)
		w.access(sub, sched.Write, 3)
		w.access(0, sched.Write, 3)
		second := w.spawn(0, 3)
		w.access(second, sched.Write, 1)
	}, ""},
	{"unshared: a goroutine of a subtest", unshared, func(w *world) {
		w.access(0, sched.Write, 1)
		sub := w.spawn(0, 3)
		g := w.spawn(sub, 1)
		w.access(g, sched.Write, 2)
	}, "two goroutines"},
	{"unshared: a parallel subtest", unshared, func(w *world) {
		sub := w.spawn(0, 3)
		w.access(sub, sched.Write, 1)
		w.access(0, sched.Write, 2) // Run has returned: sub is over or parallel
		w.access(sub, sched.Write, 3)
	}, "two goroutines"},

	{"unshared: initialised, then handed over", initially | unshared, func(w *world) {
		w.access(0, sched.Read, 1)
		g := w.spawn(0, 1)
		w.a.claims[2] = unshared
		w.access(g, sched.Write, 2)
	}, ""},
	{"unshared: used, then handed over", initially | unshared, func(w *world) {
		w.access(0, sched.Read, 1)
		w.a.claims[2] = unshared
		w.access(0, sched.Read, 2)
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 2)
	}, "two goroutines"},
	{"read-only: written by the second goroutine, initialised by the first", initially | readOnly, func(w *world) {
		w.access(0, sched.Write, 1)
		w.a.claims[2] = readOnly
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 2)
		w.access(0, sched.Read, 2)
	}, "it is written"},

	{"read-only: initialised, then read", readOnly, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.access(g, sched.Read, 2)
		w.access(0, sched.Read, 2)
	}, ""},
	{"read-only: written by the first goroutine once shared", readOnly, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Write, 1)
		w.access(g, sched.Read, 2)
		w.access(0, sched.Write, 1)
	}, "it is written"},
	{"read-only: written by the second goroutine", readOnly, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Read, 2)
		w.access(g, sched.Write, 1)
	}, "it is written"},

	{"locked: initialised, then locked", locked, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		for _, id := range []sched.TaskID{g, 0, g} {
			w.do(id, sched.Lock, mu)
			w.access(id, sched.Write, 2)
			w.do(id, sched.Unlock, mu)
		}
	}, ""},
	{"locked: one access without", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 2)
		w.do(0, sched.Unlock, mu)
		w.access(g, sched.Read, 2)
	}, "no lock in common"},
	{"locked: after the unlock", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 1)
		w.do(0, sched.Unlock, mu)
		w.do(g, sched.Lock, mu)
		w.do(g, sched.Unlock, mu)
		w.access(g, sched.Write, 2)
	}, "no lock in common"},
	{"locked: another lock", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 2)
		w.do(g, sched.Unlock, mu)
		w.do(0, sched.Lock, mu+8)
		w.access(0, sched.Write, 2)
	}, "no lock in common"},
	{"locked: not after the join", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Unlock, mu)
		w.do(g, sched.WaitGroupAdd, wg)
		w.do(0, sched.WaitGroupWait, wg)
		w.access(0, sched.Write, 2)
	}, ""},
	{"locked: not while alone, but another goroutine is slow", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Write, 2)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 1)
	}, "no lock in common"},
	{"locked: by a Once", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.a.Once(g, mu)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Unlock, mu)
		w.a.Once(0, mu)
		w.access(0, sched.Read, 2)
	}, ""},
	{"locked: one of two locks in common", locked, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.do(g, sched.Lock, mu)
		w.do(g, sched.Lock, mu+8)
		w.access(g, sched.Write, 2)
		w.do(g, sched.Unlock, mu)
		w.do(g, sched.Unlock, mu+8)
		w.do(0, sched.Lock, mu+8)
		w.access(0, sched.Write, 2)
	}, ""},
	{"locked: read lock at reads", locked, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.do(g, sched.RLock, mu)
		w.do(0, sched.RLock, mu)
		w.access(g, sched.Read, 2)
		w.access(0, sched.Read, 2)
		w.do(0, sched.RUnlock, mu)
		w.do(g, sched.RUnlock, mu)
		w.do(0, sched.WLock, mu)
		w.access(0, sched.Write, 1)
		w.do(0, sched.WUnlock, mu)
	}, ""},
	{"locked: read lock at a write", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.RLock, mu)
		w.access(0, sched.Read, 1)
		w.do(g, sched.RLock, mu)
		w.access(g, sched.Write, 2)
	}, "no lock in common"},
	{"locked: TryLock succeeds", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 1)
		w.do(0, sched.Unlock, mu)
		w.do(g, sched.TryLock, mu)
		w.access(g, sched.Write, 2)
	}, ""},
	{"locked: TryLock fails", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 1)
		w.do(g, sched.TryLock, mu)
		w.access(g, sched.Write, 2)
	}, "no lock in common"},
	{"locked: unlocked by another goroutine", locked, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 1)
		w.do(0, sched.Unlock, mu)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 2)
		w.do(0, sched.Unlock, mu)
		w.access(g, sched.Write, 1)
	}, "no lock in common"},

	{"ordered: fork", ordered, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 2)
	}, ""},
	{"ordered: after the fork", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Write, 1)
		w.access(g, sched.Write, 2)
	}, "in no order"},
	{"ordered: reads after the fork", ordered, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.access(0, sched.Read, 1)
		w.access(g, sched.Read, 2)
	}, ""},
	{"ordered: join by a wait group", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.do(g, sched.WaitGroupAdd, wg)
		w.do(0, sched.WaitGroupWait, wg)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: after Done", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.WaitGroupAdd, wg)
		w.access(g, sched.Write, 1)
		w.do(0, sched.WaitGroupWait, wg)
		w.access(0, sched.Write, 2)
	}, "in no order"},
	{"ordered: handed over a channel", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Send, ch)
		w.do(0, sched.Recv, ch)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: two senders", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Send, ch)
		w.do(0, sched.Send, ch)
		w.access(0, sched.Write, 2)
	}, "in no order"},
	{"ordered: after the send", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.Send, ch)
		w.access(g, sched.Write, 1)
		w.do(0, sched.Recv, ch)
		w.access(0, sched.Write, 2)
	}, "in no order"},
	{"ordered: closed", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Close, ch)
		w.choose(0, ch, ch+8)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: the receiver was parked", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.do(0, sched.Recv, ch)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Send, ch)
		w.wake(0, g)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: woken by another goroutine", ordered, func(w *world) {
		g, h := w.spawn(0, 1), w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.wake(0, h)
		w.access(0, sched.Write, 2)
	}, "in no order"},
	{"ordered: by a lock", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.Lock, mu)
		w.access(g, sched.Write, 1)
		w.do(g, sched.Unlock, mu)
		w.do(0, sched.Lock, mu)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: two readers' locks order nothing", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.do(g, sched.RLock, mu)
		w.access(g, sched.Write, 1)
		w.do(g, sched.RUnlock, mu)
		w.do(0, sched.RLock, mu)
		w.access(0, sched.Write, 2)
	}, "in no order"},
	{"ordered: a writer parked behind two readers", ordered, func(w *world) {
		g, h := w.spawn(0, 1), w.spawn(0, 1)
		w.do(g, sched.RLock, mu)
		w.do(h, sched.RLock, mu)
		w.do(0, sched.WLock, mu)
		w.access(g, sched.Read, 1)
		w.do(g, sched.RUnlock, mu)
		w.do(h, sched.RUnlock, mu)
		w.wake(0, h)
		w.access(0, sched.Write, 2)
	}, ""},
	{"ordered: by an atomic variable", ordered, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.bytes(g, sched.AtomicStore, 9, 0x2000, 8)
		w.bytes(0, sched.AtomicLoad, 9, 0x2000, 8)
		w.access(0, sched.Read, 2)
	}, ""},
	{"ordered: a timer's function", ordered, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(none, 0)
		w.access(g, sched.Write, 2)
	}, ""},
	{"ordered: a subtest has ended", ordered, func(w *world) {
		sub := w.spawn(0, 3)
		w.access(sub, sched.Write, 1)
		w.access(0, sched.Write, 2)
	}, ""},

	{"atomic: after initialisation", atomicly, func(w *world) {
		w.access(0, sched.Write, 1)
		g := w.spawn(0, 1)
		w.access(g, sched.AtomicRMW, 2)
		w.access(0, sched.AtomicLoad, 2)
	}, ""},
	{"atomic: a plain read", atomicly, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.AtomicRMW, 2)
		w.access(0, sched.Read, 1)
	}, "a plain access"},

	{"initial: of a new object", initially, func(w *world) {
		w.access(0, sched.Write, 1)
		w.access(0, sched.Write, 2)
	}, ""},
	{"initial: another goroutine was there", initially, func(w *world) {
		g := w.spawn(0, 1)
		w.access(g, sched.Write, 1)
		w.access(0, sched.Write, 2)
	}, "another goroutine"},

	{"one of several classes", readOnly | locked, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Read, 1)
		w.access(g, sched.Read, 2)
	}, ""},
	{"none of several classes", unshared | readOnly | locked, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Read, 1)
		w.access(g, sched.Write, 2)
	}, "no lock in common"},
	{"nothing is claimed", anything, func(w *world) {
		g := w.spawn(0, 1)
		w.access(0, sched.Write, 1)
		w.access(g, sched.Write, 2)
	}, ""},
}
