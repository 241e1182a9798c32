package detect

import (
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// world makes the events of a trial. Sites are numbers of accesses; task 0 is there.
type world struct {
	*control
	a     *Audit
	tasks []*sched.Task
	at    map[sched.Site]string // functions of go statements
}

func (w *world) Position(s sched.Site) sched.Position { return sched.Position{Func: w.at[s]} }

const none = sched.NoTask

// newWorld begins a trial in which access number i has claims[i].
func newWorld(claims ...sched.Claim) *world {
	w := &world{control: new(control), a: NewAudit(claims, nil, nil), at: map[sched.Site]string{1: "main.f", 3: "testing.(*T).Run"}}
	w.trial()
	return w
}

func (w *world) trial() {
	w.tasks = nil
	w.a.Event(sched.TrialBegin, nil, nil, w)
	w.spawn(none, 0)
}

func (w *world) spawn(parent sched.TaskID, site sched.Site) sched.TaskID {
	t := &sched.Task{ID: sched.TaskID(len(w.tasks)), Parent: parent, Spawned: site}
	w.tasks = append(w.tasks, t)
	w.a.Event(sched.Spawned, t, nil, w)
	return t.ID
}

// do performs operations of one kind on an object.
func (w *world) do(id sched.TaskID, k sched.Kind, obj uintptr) {
	event := sched.Performed
	if k == sched.Unlock || k == sched.RUnlock || k == sched.WUnlock || k == sched.WaitGroupAdd {
		event = sched.Effect
	}
	w.a.Event(event, w.tasks[id], &sched.Op{Kind: k, Object: obj}, w)
}

func (w *world) choose(id sched.TaskID, chans ...uintptr) {
	w.a.Event(sched.Performed, w.tasks[id], &sched.Op{Kind: sched.Select, More: chans}, w)
}

func (w *world) wake(id, by sched.TaskID) {
	w.tasks[id].Waker = by
	w.a.Event(sched.Woken, w.tasks[id], nil, w)
}

// access accesses the word at 0x1000, at the place with the given number.
func (w *world) access(id sched.TaskID, k sched.Kind, number uint32) {
	w.bytes(id, k, number, 0x1000, 8)
}

func (w *world) bytes(id sched.TaskID, k sched.Kind, number uint32, addr, size uintptr) {
	w.a.Event(sched.Performed, w.tasks[id], &sched.Op{Kind: k, Site: sched.Site(number << 1), Object: addr, Size: size}, w)
}

func TestAudit(t *testing.T) {
	for _, test := range auditCases {
		t.Run(test.name, func(t *testing.T) {
			c := test.claim
			w := newWorld(anything, c, c, c)
			for range 2 { // the second trial knows nothing of the first
				test.run(w)
				found := w.a.Found()
				switch {
				case test.want == "" && len(found) > 0:
					t.Fatalf("a violation: %+v", found)
				case test.want != "" && len(found) != 1:
					t.Fatalf("%d violations, want one", len(found))
				case test.want != "" && !strings.Contains(found[0].Reason, test.want):
					t.Fatalf("the reason is %q, not %q", found[0].Reason, test.want)
				}
				w.a = NewAudit([]sched.Claim{anything, c, c, c}, nil, nil)
				w.trial()
			}
		})
	}
}

// TestAuditMixedClaims: the claims of a location's accesses need not be the same.
func TestAuditMixedClaims(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b sched.Claim
		lock bool
		want bool
	}{
		{"the lock is held", locked | unshared, locked | readOnly, true, false},
		{"the lock is not held", locked | unshared, locked | readOnly, false, true},
		{"one access is visible, the lock is held", locked, anything, true, false},
		{"one access is visible, the lock is not held", locked, anything, false, true},
		{"nothing in common, in an order", locked, unshared, true, false},
		{"nothing in common, in no order", locked, unshared, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(anything, test.a, test.b)
			g := w.spawn(0, 1)
			for i, id := range []sched.TaskID{0, g, 0} {
				if test.lock {
					w.do(id, sched.Lock, mu)
				}
				w.access(id, sched.Write, uint32(1+i%2))
				if test.lock {
					w.do(id, sched.Unlock, mu)
				}
			}
			if found := w.a.Found(); len(found) > 0 != test.want {
				t.Errorf("violations: %+v", found)
			}
		})
	}
}

// TestAuditOnce: what has been refuted is not reported again, in this trial or the next.
func TestAuditOnce(t *testing.T) {
	w := newWorld(anything, unshared, unshared, unshared)
	for range 3 {
		g := w.spawn(0, 1)
		w.access(0, sched.Write, 1)
		for range 3 {
			w.access(g, sched.Write, 2)
		}
		w.trial()
	}
	if found := w.a.Found(); len(found) != 1 {
		t.Errorf("%d violations", len(found))
	}
	g := w.spawn(0, 1)
	w.access(0, sched.Write, 3)
	w.access(g, sched.Write, 3)
	if found := w.a.Found(); len(found) != 1 {
		t.Errorf("%d violations at another place", len(found))
	}
}

// TestAuditDescription: a violation tells of both accesses.
func TestAuditDescription(t *testing.T) {
	claims := []sched.Claim{anything, locked, locked}
	w := newWorld(claims...)
	w.a = NewAudit(claims, nil, []uint32{1, 2})
	w.a.Stack = func() string { return "the stack" }
	w.a.Name = func(id sched.TaskID) string { return []string{"main", "1"}[id] }
	w.trial()
	w.at[5] = "main.locks"
	g := w.spawn(0, 1)
	w.a.Event(sched.Performed, w.tasks[0], &sched.Op{Kind: sched.Lock, Object: mu, Site: 5}, w)
	for i, id := range []sched.TaskID{0, g} {
		op := sched.Op{Kind: sched.Write, Site: sched.Site(2 * (i + 1)), Object: 0x1000, Size: 8}
		w.a.Event(sched.Announced, w.tasks[id], &op, w)
		w.a.Event(sched.Performed, w.tasks[id], &op, w)
	}
	found := w.a.Found()
	if len(found) != 1 {
		t.Fatalf("%d violations", len(found))
	}
	first, second := found[0].First, found[0].Second
	if first.Task != 0 || first.Name != "main" || first.Access != 1 || first.Op != "write" || first.Claim != "locked" || first.Stack != "the stack" ||
		len(first.Locks) != 1 || first.Locks[0].Func != "main.locks" {
		t.Errorf("first access: %+v", first)
	}
	if second.Task != g || second.Name != "1" || second.Access != 2 || len(second.Locks) != 0 || second.Stack != "the stack" {
		t.Errorf("second access: %+v", second)
	}
}

// TestAuditAllocates: after the first trial, an audit allocates nothing.
func TestAuditAllocates(t *testing.T) {
	w := newWorld(anything, locked)
	task := func(id sched.TaskID) *sched.Task { return w.tasks[id] }
	w.spawn(0, 1)
	read := sched.Op{Kind: sched.Read, Site: 2, Size: 8}
	lock, unlock := sched.Op{Kind: sched.Lock, Object: mu}, sched.Op{Kind: sched.Unlock, Object: mu}
	trial := func() {
		w.a.Event(sched.TrialBegin, nil, nil, w)
		w.a.Event(sched.Spawned, task(0), nil, w)
		w.a.Event(sched.Spawned, task(1), nil, w)
		for i := range 200 {
			id := sched.TaskID(i % 2)
			read.Object = 0x1000 + uintptr(i/10)*8
			w.a.Event(sched.Performed, task(id), &lock, w)
			w.a.Event(sched.Performed, task(id), &read, w)
			w.a.Event(sched.Effect, task(id), &unlock, w)
		}
	}
	trial()
	if n := testing.AllocsPerRun(20, trial); n > 0 {
		t.Errorf("a trial allocates %v times", n)
	}
	if found := w.a.Found(); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
