package strategy

import "github.com/coopvet/coop/runner/sched"

// urw is the uniform random walk: H. Zhao, D. Wolff, U. Mathur and A. Roychoudhury,
// Selectively Uniform Concurrency Testing, ASPLOS 2025. A task is chosen with a
// probability in proportion to the number of events that it and its descendants still
// have to perform; the weight of a task that is started is taken from its parent's. If
// the numbers are right, all interleavings are equally probable.
//
// Departures: the numbers are those of the pilot, by spawn path, where the paper has a
// profiling run. Without a pilot (-isolate) it is a random walk. An enabled task counts
// at least 1, for what was not foreseen. Fairness: a task that spins uses up its weight;
// and when patience is spent, choices are uniform for a while, see turns.
type urw struct {
	estimate
	weights weights // of the enabled tasks
	fair    turns
}

// estimate is what urw and surw expect of the tasks of a trial.
type estimate struct {
	rand    *sched.Rand
	census  *census // may be shared
	pilot   bool
	onward  Onward  // of the pilot
	choices int     // points with at least two enabled tasks so far
	left    []int64 // by task: events that it and its descendants still have to perform
	met     []bool  // by task: it has been enabled before
}

// Block implements sched.Learner: only the pilot matters.
func (e *estimate) Block() int { return 1 }

// begin begins a trial; all says that all events are interesting.
func (e *estimate) begin(info sched.TrialInfo, all bool) {
	e.rand, e.choices = info.Rand, 0
	e.left, e.met, e.onward = e.left[:0], e.met[:0], Onward{}
	if e.pilot = info.Trial == sched.PilotTrial; e.pilot {
		e.census.begin()
		return
	}
	e.census.choose(all, e.rand)
}

// meet gives t its weight when it is enabled for the first time. It returns true then, if
// t has a parent whose weight that has changed.
func (e *estimate) meet(t *sched.Task) bool {
	for int(t.ID) >= len(e.left) {
		e.left = append(e.left, 0)
		e.met = append(e.met, false)
	}
	if e.met[t.ID] {
		return false
	}
	e.met[t.ID] = true
	if e.pilot {
		e.census.spawned(t)
		return false
	}
	e.left[t.ID] = e.census.weight(t)
	if t.Parent == sched.NoTask || int(t.Parent) >= len(e.left) {
		return false
	}
	e.left[t.Parent] = max(0, e.left[t.Parent]-e.left[t.ID])
	return true
}

// End implements sched.TrialEnder.
func (e *estimate) End(int, sched.FailureKind) {
	if e.pilot {
		e.census.end()
	}
}

func newURW(c *census) *urw   { return &urw{estimate: estimate{census: c}} }
func newSURW(c *census) *surw { return &surw{estimate: estimate{census: c}} }

func (u *urw) Begin(info sched.TrialInfo) {
	u.begin(info, true)
	u.weights.reset()
	u.fair = turns{}
}

func (u *urw) Enabled(t *sched.Task) {
	if u.meet(t) && u.weights.get(t.Parent) > 0 {
		u.weigh(t.Parent)
	}
	u.weigh(t.ID)
}

func (u *urw) Disabled(t *sched.Task) { u.weights.set(t.ID, 0) }

// weigh brings the weight of an enabled task up to date.
func (u *urw) weigh(id sched.TaskID) { u.weights.set(id, max(1, u.left[id])) }

func (u *urw) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	var t *sched.Task
	if len(enabled) > 1 {
		u.choices++
	}
	switch {
	case len(enabled) == 1:
		t = enabled[0]
	case u.pilot:
		t = u.onward.pick(enabled, last)
	default:
		t = find(enabled, u.weights.draw(u.rand))
		if u.fair.fair(t.Pending.Kind) {
			t = enabled[u.rand.IntN(len(enabled))]
		}
	}
	if u.pilot {
		u.census.step(t)
	} else if u.left[t.ID] > 0 {
		u.left[t.ID]--
		u.weigh(t.ID)
	}
	return t.ID
}

// surw is the selectively uniform random walk of the same paper: urw for the events of a
// set Δ, which is drawn for each trial, and a random walk for the others. The task that
// performs the next event in Δ is drawn by weight; the others run, at random, up to
// their own next event in Δ.
//
// Departures, beyond those of urw: Δ is, as in the paper's experiments, the operations on
// one shared object; as objects have no names that hold from trial to trial, it is all
// operations at the sites that were seen to operate on the object in the pilot. If all
// enabled tasks but the drawn one have come to events in Δ, and that is not enabled,
// another one is drawn among them. Without a pilot, or shared objects, it is a random walk.
type surw struct {
	estimate
	weights  weights        // of all tasks that may still be enabled: left
	free     []sched.TaskID // enabled tasks whose pending operation is not in Δ
	at       []int32        // by task: its index in free, or held or away
	intended sched.TaskID   // who performs the next event in Δ
	fair     turns
}

// Values of surw.at.
const (
	held = -1 // enabled, before an event in Δ
	away = -2 // not enabled
)

func (s *surw) Begin(info sched.TrialInfo) {
	s.begin(info, false)
	s.weights.reset()
	s.free, s.at = s.free[:0], s.at[:0]
	s.intended = sched.NoTask
	s.fair = turns{}
}

func (s *surw) Enabled(t *sched.Task) {
	for int(t.ID) >= len(s.at) {
		s.at = append(s.at, away)
	}
	if s.meet(t) {
		s.weigh(t.Parent)
	}
	s.weigh(t.ID)
	s.place(t)
}

func (s *surw) Disabled(t *sched.Task) {
	s.unfree(t.ID)
	s.at[t.ID] = away
}

func (s *surw) weigh(id sched.TaskID) { s.weights.set(id, s.left[id]) }

// place enters t where its pending operation belongs.
func (s *surw) place(t *sched.Task) {
	s.unfree(t.ID)
	s.at[t.ID] = held
	if !s.census.interesting(t.Pending.Site) {
		s.at[t.ID] = int32(len(s.free))
		s.free = append(s.free, t.ID)
	}
}

func (s *surw) unfree(id sched.TaskID) {
	if i := s.at[id]; i >= 0 {
		last := s.free[len(s.free)-1]
		s.free[i], s.at[last] = last, i
		s.free = s.free[:len(s.free)-1]
	}
}

func (s *surw) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if len(enabled) > 1 {
		s.choices++
	}
	if s.pilot {
		t := s.onward.pick(enabled, last)
		s.census.step(t)
		return t.ID
	}
	if last >= 0 && int(last) < len(s.at) && s.at[last] != away {
		s.place(find(enabled, last))
	}
	id := enabled[0].ID
	if len(enabled) > 1 {
		id = s.choose(enabled)
	}
	if s.at[id] == held {
		s.intended = sched.NoTask
		if s.left[id] > 0 {
			s.left[id]--
			s.weigh(id)
		}
	}
	return id
}

// choose draws a task, fairly when it is time for that.
func (s *surw) choose(enabled []*sched.Task) sched.TaskID {
	id := s.prefer(enabled)
	if s.fair.fair(find(enabled, id).Pending.Kind) {
		return enabled[s.rand.IntN(len(enabled))].ID
	}
	return id
}

// prefer draws among the free tasks and the intended one; among all, if there are more
// events in Δ than were foreseen, since nobody would be intended for ever.
func (s *surw) prefer(enabled []*sched.Task) sched.TaskID {
	if s.intended == sched.NoTask {
		if s.weights.total() == 0 {
			return enabled[s.rand.IntN(len(enabled))].ID
		}
		s.intended = s.weights.draw(s.rand)
	}
	n := len(s.free)
	ready := s.intended != sched.NoTask && s.at[s.intended] == held
	if ready {
		n++
	}
	if n == 0 {
		return s.another(enabled)
	}
	if i := s.rand.IntN(n); i < len(s.free) {
		return s.free[i]
	}
	return s.intended
}

// another draws one of the enabled tasks, which are all held, because the intended one
// is not enabled: perhaps it never will be.
func (s *surw) another(enabled []*sched.Task) sched.TaskID {
	if s.intended != sched.NoTask {
		s.weights.set(s.intended, 0) // until it is enabled again
	}
	var total int64
	for _, t := range enabled {
		total += max(1, s.left[t.ID])
	}
	x := int64(s.rand.Uint64() % uint64(total))
	for _, t := range enabled {
		if x -= max(1, s.left[t.ID]); x < 0 {
			return t.ID
		}
	}
	return enabled[len(enabled)-1].ID
}
