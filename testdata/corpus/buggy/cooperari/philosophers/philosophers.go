// Package philosophers lets every philosopher take the left fork first, so that all of them can wait for the right one.
//
// Expect: deadlock
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

// Table seats n philosophers with one fork between neighbours.
func Table(n int) []*Philosopher {
	forks := make([]sync.Mutex, n)
	seats := make([]*Philosopher, n)
	for i := range seats {
		seats[i] = &Philosopher{left: &forks[i], right: &forks[(i+1)%n]}
	}
	return seats
}
