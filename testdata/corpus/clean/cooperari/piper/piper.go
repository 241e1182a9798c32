// Package piper waits in a loop and wakes everybody.
package piper

import "sync"

// A Plane has two seats, which are filled and emptied in turn.
type Plane struct {
	mu      sync.Mutex
	cond    sync.Cond
	seats   [2]int
	in, out int
}

// New returns an empty plane.
func New() *Plane {
	p := new(Plane)
	p.cond.L = &p.mu
	return p
}

// Fill gives a seat to a passenger.
func (p *Plane) Fill(passenger int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.in-p.out == len(p.seats) {
		p.cond.Wait()
	}
	p.seats[p.in%len(p.seats)] = passenger
	p.in++
	p.cond.Broadcast()
}

// Empty takes a passenger out of his seat.
func (p *Plane) Empty() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.in == p.out {
		p.cond.Wait()
	}
	passenger := p.seats[p.out%len(p.seats)]
	p.out++
	p.cond.Broadcast()
	return passenger
}
