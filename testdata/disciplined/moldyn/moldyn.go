// Package moldyn simulates particles that attract and repel each other (Lennard-Jones), in
// the manner of the Java Grande benchmark of that name. In each step workers sum up the
// forces on particles of their own accord; the sums are added up under a lock, and the
// particles move when all workers are done.
package moldyn

import (
	"math"
	"sync"
)

type vector struct{ x, y, z float64 }

type particle struct{ at, velocity vector }

// System is a box of particles.
type System struct {
	side      float64
	particles []particle

	mu        sync.Mutex
	forces    []vector
	potential float64
}

// New places n³ particles on a grid in a box of the given side length.
func New(n int, side float64) *System {
	s := &System{side: side, forces: make([]vector, n*n*n)}
	step := side / float64(n)
	for i := range n * n * n {
		x, y, z := float64(i%n), float64(i/n%n), float64(i/n/n)
		s.particles = append(s.particles, particle{
			at:       vector{x * step, y * step, z * step},
			velocity: vector{math.Sin(x + 1), math.Sin(y + 2), math.Sin(z + 3)},
		})
	}
	return s
}

// Run makes steps of length dt with the given number of workers.
func (s *System) Run(steps, workers int, dt float64) {
	for range steps {
		clear(s.forces)
		s.potential = 0
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() { s.interact(w, workers) })
		}
		wg.Wait()
		s.move(dt)
	}
}

// interact sums up the forces of every workers-th particle, from first, and adds them.
func (s *System) interact(first, workers int) {
	forces := make([]vector, len(s.particles))
	potential := 0.0
	for i := first; i < len(s.particles); i += workers {
		for j := i + 1; j < len(s.particles); j++ {
			d := s.distance(i, j)
			r2 := d.x*d.x + d.y*d.y + d.z*d.z
			if r2 > s.side*s.side/4 || r2 == 0 {
				continue
			}
			r6 := 1 / (r2 * r2 * r2)
			potential += 4 * (r6*r6 - r6)
			f := 24 * (2*r6*r6 - r6) / r2
			forces[i].x += f * d.x
			forces[i].y += f * d.y
			forces[i].z += f * d.z
			forces[j].x -= f * d.x
			forces[j].y -= f * d.y
			forces[j].z -= f * d.z
		}
	}
	s.add(forces, potential)
}

// distance is that of the nearest images of two particles in the periodic box.
func (s *System) distance(i, j int) vector {
	a, b := s.particles[i].at, s.particles[j].at
	return vector{s.wrap(a.x - b.x), s.wrap(a.y - b.y), s.wrap(a.z - b.z)}
}

func (s *System) wrap(d float64) float64 { return d - s.side*math.Round(d/s.side) }

func (s *System) add(forces []vector, potential float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.potential += potential
	for i, f := range forces {
		s.forces[i].x += f.x
		s.forces[i].y += f.y
		s.forces[i].z += f.z
	}
}

func (s *System) move(dt float64) {
	for i := range s.particles {
		p, f := &s.particles[i], s.forces[i]
		p.velocity.x += f.x * dt
		p.velocity.y += f.y * dt
		p.velocity.z += f.z * dt
		p.at.x += p.velocity.x * dt
		p.at.y += p.velocity.y * dt
		p.at.z += p.velocity.z * dt
	}
}

// Momentum is the sum of the velocities, which forces between particles do not change.
func (s *System) Momentum() (x, y, z float64) {
	for _, p := range s.particles {
		x += p.velocity.x
		y += p.velocity.y
		z += p.velocity.z
	}
	return x, y, z
}

// Potential is the potential energy at the beginning of the last step.
func (s *System) Potential() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.potential
}
