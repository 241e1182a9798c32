package strategy

import (
	"math"
	"slices"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// plainPOS is pos as the paper defines it: each pending event has a priority, which is
// drawn at once.
type plainPOS struct {
	rand *sched.Rand
	key  map[sched.TaskID]float64
}

func (p *plainPOS) Begin(info sched.TrialInfo) {
	*p = plainPOS{rand: info.Rand, key: map[sched.TaskID]float64{}}
}
func (p *plainPOS) Enabled(t *sched.Task)  { p.key[t.ID] = p.rand.Float64() }
func (p *plainPOS) Disabled(t *sched.Task) { delete(p.key, t.ID) }

func (p *plainPOS) Pick(enabled []*sched.Task, _ sched.TaskID) sched.TaskID {
	best := enabled[0]
	for _, t := range enabled {
		if p.key[t.ID] > p.key[best.ID] {
			best = t
		}
	}
	for _, t := range enabled {
		if t == best || sched.Dependent(&t.Pending, &best.Pending) {
			p.key[t.ID] = p.rand.Float64()
		}
	}
	return best.ID
}

// crowdPrograms have operations of all sorts: on parts of a word, across words, on several
// channels, on nothing, counters, locks.
var crowdPrograms = map[string]program{
	"readers": {{read(8), read(8)}, {read(8), write(8)}, {read(8)}, {write(8)}, {read(8), read(8), read(8)}},
	"starts":  {{{Kind: sched.Start}, read(8), write(8)}, {{Kind: sched.Start}, {Kind: sched.Start}}, {{Kind: sched.Start}}, {{Kind: sched.Start}}},
	"parts": {
		{{Kind: sched.Write, Object: 8, Size: 8}, {Kind: sched.Write, Object: 12, Size: 8}},
		{{Kind: sched.Read, Object: 8, Size: 4}, {Kind: sched.Write, Object: 16, Size: 4}},
		{{Kind: sched.Write, Object: 12, Size: 4}, {Kind: sched.Read, Object: 16, Size: 8}},
		{{Kind: sched.Read, Object: 12, Size: 4}, {Kind: sched.Read, Object: 12, Size: 4}, write(16)},
	},
	"channels": {
		{{Kind: sched.Send, Object: 8}, {Kind: sched.Select, More: []uintptr{8, 16}}},
		{{Kind: sched.Select, More: []uintptr{16, 24}}, {Kind: sched.Close, Object: 8}},
		{{Kind: sched.Close, Object: 16}, {Kind: sched.ChanLen, Object: 24}},
		{{Kind: sched.Close, Object: 24}, {Kind: sched.ChanLen, Object: 8}, {Kind: sched.Gosched}},
	},
	"counters": {
		{{Kind: sched.WaitGroupAdd, Object: 8}, {Kind: sched.WaitGroupAdd, Object: 8}},
		{{Kind: sched.WaitGroupAdd, Object: 8}, {Kind: sched.WaitGroupWait, Object: 8}},
		{{Kind: sched.Start}, {Kind: sched.Start}, {Kind: sched.WaitGroupAdd, Object: 8}},
		{lock(16), write(24), unlock(16), {Kind: sched.WaitGroupWait, Object: 8}},
		{lock(16), write(24), unlock(16), lock(16), write(24), unlock(16)},
	},
}

// TestCrowd holds pos, whose crowd draws values as late as it can, against plainPOS: the
// probability that one task ends before another is the same, but for chance. By Hoeffding's
// inequality two right samples differ by more than the margin with a probability below
// 1e-6 in all comparisons together.
func TestCrowd(t *testing.T) {
	const n = 40_000
	margin := math.Sqrt(2 * math.Log(4*100/1e-6) / n)
	for name, p := range crowdPrograms {
		got, want := endings(p, &pos{}, n), endings(p, &plainPOS{}, n)
		for i := range got {
			if math.Abs(got[i]-want[i]) > margin {
				t.Errorf("%s: task %d ends before task %d with frequency %.3f, want %.3f", name, i/len(p), i%len(p), got[i], want[i])
			}
		}
	}
}

// endings returns how often, of n trials, each task ends before each other.
func endings(p program, s sched.Strategy, n int) []float64 {
	count := make([]float64, len(p)*len(p))
	for trial := range n {
		order := p.run(s, trial)
		slices.Reverse(order)
		for i := range p {
			for j := range p {
				if slices.Index(order, sched.TaskID(i)) > slices.Index(order, sched.TaskID(j)) {
					count[i*len(p)+j] += 1 / float64(n)
				}
			}
		}
	}
	return count
}
