package runner

import (
	"math"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// orderCounts collects the partial orders of a test's trials. Its zero value is empty.
type orderCounts struct {
	counts  map[uint64]sched.OrderCount
	spans   []span // the trials that were counted
	tasks   int
	choices int
}

// add adds what a worker has counted in the given number of trials from first.
func (c *orderCounts) add(o *sched.Orders, first, trials int) {
	if c.counts == nil {
		c.counts = make(map[uint64]sched.OrderCount)
	}
	c.spans = append(c.spans, span{first: first, count: trials})
	c.tasks, c.choices = max(c.tasks, o.Tasks), max(c.choices, o.Choices)
	for _, n := range o.Counts {
		known, ok := c.counts[n.Hash]
		switch {
		case ok:
			n.Trials += known.Trials
			n.First = min(n.First, known.First)
		case len(c.counts) == maxDistinct:
			continue
		}
		c.counts[n.Hash] = n
	}
}

// between returns the number of trials that were counted with indices in [from,to).
func (c *orderCounts) between(from, to int) int {
	n := 0
	for _, s := range c.spans {
		n += max(0, min(to, s.first+s.count)-max(from, s.first))
	}
	return n
}

// confidence is the confidence of report.Orders.UnseenMax.
const confidence = 0.95

// summary returns what the counts say of what may still be hidden. block is the number
// of trials that are not independent of each other, see sched.Learner. sample says
// whether the number of trials was fixed before they began: not so if a failure ended them.
func (c *orderCounts) summary(block int, sample bool) *report.Orders {
	const all = math.MaxInt
	r := &report.Orders{
		Trials: c.between(0, all), Distinct: len(c.counts), Tasks: c.tasks, Choices: c.choices,
		UnseenMax: 1, Confidence: confidence,
	}
	if r.Trials == 0 {
		return r
	}
	once, top, end := 0, 0, 0
	for _, n := range c.counts {
		top = max(top, n.Trials)
		if n.Trials == 1 {
			once++
		}
	}
	for _, s := range c.spans {
		end = max(end, s.first+s.count)
	}
	r.Top = float64(top) / float64(r.Trials)
	r.Unseen = float64(once) / float64(r.Trials)
	if sample {
		r.UnseenMax = c.unseenMax(end/2, max(1, block))
	}
	for depth := range pctDepths {
		r.PCT = append(r.PCT, 1/(float64(max(1, r.Tasks))*math.Pow(float64(max(1, r.Choices)), float64(depth))))
	}
	return r
}

// pctDepths is the number of depths for which PCT's guarantee is given.
const pctDepths = 3

// unseenMax returns an upper limit, of the given confidence, of the probability that
// another trial is of a partial order that none was of.
//
// The trials from index half on test what the earlier ones have not seen: they are
// independent of them, so the number of those that are of a partial order new to the first half
// is binomial, and what both halves have not seen is less than what the first half has
// not. The limit is Chernoff's in the form of relative entropy (W. Hoeffding, Probability Inequalities
// for Sums of Bounded Random Variables, JASA 58, 1963, theorem 1), which also holds for means of
// independent quantities between 0 and 1: the shares of the blocks of a strategy that
// learns. Unlike limits around the Good-Turing estimate (D. McAllester and R. Schapire, On
// the Convergence Rate of Good-Turing Estimators, COLT 2000), whose width is some
// multiple of 1/√n, it is about 3/n when nothing new has come up in n trials.
func (c *orderCounts) unseenMax(half, block int) float64 {
	held := c.between(half, math.MaxInt)
	if held/block == 0 {
		return 1
	}
	fresh := 0
	for _, n := range c.counts {
		if n.First >= half {
			fresh += n.Trials
		}
	}
	return chernoffMax(float64(fresh)/float64(held), held/block, 1-confidence)
}

// chernoffMax returns the largest mean m of n independent quantities in [0,1] for which
// an average of at most x has a probability bound exp(-n·KL(x,m)) of at least failure.
func chernoffMax(x float64, n int, failure float64) float64 {
	lo, hi := x, 1.0
	for range 60 {
		m := (lo + hi) / 2
		if float64(n)*relativeEntropy(x, m) > -math.Log(failure) {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}

// relativeEntropy is the Kullback-Leibler divergence of two coins.
func relativeEntropy(x, m float64) float64 {
	kl := 0.0
	if x > 0 {
		kl += x * math.Log(x/m)
	}
	if x < 1 {
		kl += (1 - x) * math.Log((1-x)/(1-m))
	}
	return kl
}
