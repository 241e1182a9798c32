// Package montecarlo prices an option by simulating the price of its share, in the manner
// of the Java Grande benchmark. Workers take the numbers of paths from a counter and
// collect results under a lock.
package montecarlo

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// Share is how a share behaves: yearly drift and volatility.
type Share struct{ Price, Drift, Volatility float64 }

type simulation struct {
	share Share
	steps int
	paths int
	next  atomic.Int64

	mu      sync.Mutex
	results []float64 // the last price of each path
}

// Mean simulates paths of the share's price over a year with the given number of workers
// and returns the mean and the standard deviation of the last prices.
func Mean(share Share, paths, steps, workers int) (mean, deviation float64) {
	s := &simulation{share: share, steps: steps, paths: paths, results: make([]float64, paths)}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(s.work)
	}
	wg.Wait()
	return s.reduce()
}

func (s *simulation) work() {
	for {
		n := int(s.next.Add(1)) - 1
		if n >= s.paths {
			return
		}
		p := newPath(s.share, uint64(n))
		for range s.steps {
			p.step(1 / float64(s.steps))
		}
		s.mu.Lock()
		s.results[n] = p.price()
		s.mu.Unlock()
	}
}

// path is one random walk.
type path struct {
	share Share
	rand  *rand.Rand
	log   []float64 // of the price, relative to the first
}

func newPath(share Share, seed uint64) *path {
	return &path{share: share, rand: rand.New(rand.NewPCG(seed, 1)), log: []float64{0}}
}

func (p *path) step(dt float64) {
	last := p.log[len(p.log)-1]
	drift := p.share.Drift - p.share.Volatility*p.share.Volatility/2
	p.log = append(p.log, last+drift*dt+p.share.Volatility*math.Sqrt(dt)*p.rand.NormFloat64())
}

func (p *path) price() float64 { return p.share.Price * math.Exp(p.log[len(p.log)-1]) }

// reduce is called when the workers are done.
func (s *simulation) reduce() (mean, deviation float64) {
	for _, r := range s.results {
		mean += r
	}
	mean /= float64(len(s.results))
	for _, r := range s.results {
		deviation += (r - mean) * (r - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(s.results)))
}
