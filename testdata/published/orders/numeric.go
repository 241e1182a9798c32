package orders

import (
	"math"
	"sync"
)

// Three programs after the multithreaded Java Grande benchmarks. Each worker has a fixed
// share of the work, most of it on memory that no other worker uses, and not all shares
// are of the same size.

// particles is moldyn: particles on a line that attract each other.
type particles struct {
	at     []float64
	mu     sync.Mutex
	forces []float64
	energy float64
}

// interact adds up the forces between all pairs of particles. Each worker does so for
// the pairs of its block of particles with later ones, in memory of its own, which it adds to the
// sum.
func (s *particles) interact(workers int) {
	s.forces = make([]float64, len(s.at))
	fs := make([]func(), workers)
	for w := range fs {
		fs[w] = func() {
			forces := make([]float64, len(s.at))
			energy := 0.0
			block := len(s.at) / workers
			for i := w * block; i < (w+1)*block; i++ {
				for j := i + 1; j < len(s.at); j++ {
					d := s.at[j] - s.at[i]
					f := 1 / (1 + d*d)
					forces[i] += f
					forces[j] -= f
					energy -= f
				}
			}
			s.add(forces, energy)
		}
	}
	together(fs...)
}

func (s *particles) add(forces []float64, energy float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range forces {
		s.forces[i] += f
	}
	s.energy += energy
}

// simulate is montecarlo: each worker follows its share of the random walks, until they leave a
// band or have taken all steps, and hands in where each ends. It returns the mean.
func simulate(walks, steps, workers int) float64 {
	var mu sync.Mutex
	var results []float64
	fs := make([]func(), workers)
	for w := range fs {
		fs[w] = func() {
			for n := w; n < walks; n += workers {
				path := walk(uint32(n+1), steps)
				mu.Lock()
				results = append(results, path[len(path)-1])
				mu.Unlock()
			}
		}
	}
	together(fs...)
	mean := 0.0
	for _, r := range results {
		mean += r / float64(walks)
	}
	return mean
}

// walk returns the places that a random walk comes to.
func walk(seed uint32, steps int) []float64 {
	const band = 12
	path := []float64{0}
	for range steps {
		seed = seed*1664525 + 1013904223
		step := float64(seed>>8)/(1<<23) - 1
		path = append(path, path[len(path)-1]+step)
		if math.Abs(path[len(path)-1]) > band {
			break
		}
	}
	return path
}

// render is raytracer: each worker paints its rows of a picture of a quarter of a sphere and
// adds their brightness to a sum.
func render(size, workers int) (sum int) {
	picture := make([][]byte, size)
	var mu sync.Mutex
	fs := make([]func(), workers)
	for w := range fs {
		fs[w] = func() {
			mine := 0
			for y := w * size / workers; y < (w+1)*size/workers; y++ {
				picture[y] = row(y, size)
				for _, p := range picture[y] {
					mine += int(p)
				}
			}
			mu.Lock()
			sum += mine
			mu.Unlock()
		}
	}
	together(fs...)
	return sum
}

// row is a row of the picture: the closer to the first pixel of the first row, the brighter. The
// background is left as it is.
func row(y, size int) []byte {
	pixels := make([]byte, size)
	for x := range pixels {
		dx, dy := float64(x)/float64(size), float64(y)/float64(size)
		if z := 1 - dx*dx - dy*dy; z > 0 {
			pixels[x] = byte(255 * math.Sqrt(z))
		}
	}
	return pixels
}
