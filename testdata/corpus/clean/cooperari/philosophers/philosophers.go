// Package philosophers gives the last philosopher the forks in the opposite order, which breaks the cycle.
package philosophers

import "sync"

// A Philosopher eats with the two forks beside him.
type Philosopher struct {
	left, right   *sync.Mutex
	thought, food bool
}

// Dine thinks, takes both forks, eats and puts the forks down.
func (p *Philosopher) Dine() {
	p.thought = true
	p.left.Lock()
	p.right.Lock()
	p.food = true
	p.right.Unlock()
	p.left.Unlock()
}

// Table seats n philosophers with one fork between neighbours. Each takes the fork
// with the lower number first.
func Table(n int) []*Philosopher {
	forks := make([]sync.Mutex, n)
	seats := make([]*Philosopher, n)
	for i := range n - 1 {
		seats[i] = &Philosopher{left: &forks[i], right: &forks[i+1]}
	}
	seats[n-1] = &Philosopher{left: &forks[0], right: &forks[n-1]}
	return seats
}
