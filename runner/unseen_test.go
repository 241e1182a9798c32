package runner

import (
	"math"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// drawn returns the counts of n trials, in jobs of 16, of partial orders with geometric
// probabilities, and the probability of what has not been drawn. Blocks of trials
// draw from one of two halves of the orders, if block is more than 1.
func drawn(r *sched.Rand, n, block int, p float64) (*orderCounts, float64) {
	var c orderCounts
	seen := map[uint64]bool{}
	half := uint64(0)
	for first := 0; first < n; first += 16 {
		o := &sched.Orders{Tasks: 2, Choices: 5}
		for trial := first; trial < min(n, first+16); trial++ {
			if block > 1 && trial%block == 0 {
				half = r.Uint64() & 1
			}
			h := half
			for r.Float64() > p {
				h += 2
			}
			seen[h] = true
			o.Counts = append(o.Counts, sched.OrderCount{Hash: h, Trials: 1, First: trial})
		}
		c.add(o, first, min(16, n-first))
	}
	unseen := 0.0
	halves := 1.0
	if block > 1 {
		halves = 2
	}
	for i := range 2000 {
		for h := range uint64(halves) {
			if !seen[uint64(2*i)+h] {
				unseen += p * math.Pow(1-p, float64(i)) / halves
			}
		}
	}
	return &c, unseen
}

// TestUnseenMax: the limit is wrong in at most 5 % of all runs. That more than 8 % of
// 3000 runs are wrong although it is right has probability exp(-3000·KL(0.08, 0.05)) < 1e-6.
func TestUnseenMax(t *testing.T) {
	const runs = 3000
	r := sched.NewRand(1)
	for _, tt := range []struct {
		n, block int
		p        float64
	}{{100, 1, 0.05}, {1000, 1, 0.01}, {300, 1, 0.5}, {640, 32, 0.05}} {
		wrong, sum, estimate := 0, 0.0, 0.0
		mass := 0.0
		for range runs {
			c, unseen := drawn(&r, tt.n, tt.block, tt.p)
			s := c.summary(tt.block, true)
			if unseen > s.UnseenMax {
				wrong++
			}
			sum += s.UnseenMax
			estimate += s.Unseen
			mass += unseen
		}
		t.Logf("%+v: unseen %.4f, estimate %.4f, limit %.4f, wrong in %d of %d runs", tt, mass/runs, estimate/runs, sum/runs, wrong, runs)
		if wrong > runs*8/100 {
			t.Errorf("%+v: the limit is wrong in %d of %d runs", tt, wrong, runs)
		}
		if math.Abs(estimate-mass)/runs > 0.03 {
			t.Errorf("%+v: the estimate is %.4f, on average, want %.4f", tt, estimate/runs, mass/runs)
		}
	}
}

func TestOrderCounts(t *testing.T) {
	var c orderCounts
	c.add(&sched.Orders{Tasks: 3, Choices: 10, Counts: []sched.OrderCount{{Hash: 7, Trials: 90, First: 500}, {Hash: 8, Trials: 10, First: 510}}}, 500, 100)
	c.add(&sched.Orders{Tasks: 4, Choices: 8, Counts: []sched.OrderCount{{Hash: 7, Trials: 499, First: 0}, {Hash: 9, Trials: 1, First: 7}}}, 0, 500)
	s := c.summary(1, true)
	if s.Trials != 600 || s.Distinct != 3 || s.Top != 589./600 || s.Unseen != 1./600 || s.Tasks != 4 || s.Choices != 10 {
		t.Errorf("%+v", s)
	}
	// The later half has 300 trials, 10 of them new: exp(-300·KL(1/30, m)) = 0.05.
	if got := c.unseenMax(300, 1); math.Abs(got-0.0651) > 0.0002 {
		t.Errorf("limit %.4f", got)
	}
	if got := c.summary(1, false).UnseenMax; got != 1 {
		t.Errorf("limit %v although a failure ended the test", got)
	}
	if p := s.PCT; len(p) != 3 || p[0] != 1./4 || p[1] != 1./40 || math.Abs(p[2]-1./400) > 1e-12 {
		t.Errorf("PCT's guarantee is %v", p)
	}
	// Nothing new in n trials: the rule of three.
	if got := chernoffMax(0, 500, 0.05); math.Abs(got-3./500) > 0.0001 {
		t.Errorf("limit %.5f, want 0.006", got)
	}
}
