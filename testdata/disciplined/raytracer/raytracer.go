// Package raytracer renders spheres, in the manner of the Java Grande benchmark. The scene
// is built first and only read then; workers take rows from a counter under a lock and
// hand the finished ones in.
package raytracer

import (
	"math"
	"sync"
)

type vector struct{ x, y, z float64 }

func (a vector) sub(b vector) vector              { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) scale(f float64) vector           { return vector{a.x * f, a.y * f, a.z * f} }
func (a vector) dot(b vector) float64             { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vector) unit() vector                     { return a.scale(1 / math.Sqrt(a.dot(a))) }
func (a vector) along(d vector, t float64) vector { return a.sub(d.scale(-t)) }

type sphere struct {
	centre vector
	radius float64
	shade  float64
}

// hit returns the distance at which a ray meets the sphere, 0 if it does not.
func (s *sphere) hit(from, direction vector) float64 {
	to := s.centre.sub(from)
	b := to.dot(direction)
	d := b*b - to.dot(to) + s.radius*s.radius
	if d < 0 {
		return 0
	}
	if t := b - math.Sqrt(d); t > 1e-6 {
		return t
	}
	return 0
}

// Scene is what is rendered.
type Scene struct {
	spheres []*sphere
	light   vector
}

// NewScene returns a grid of n×n spheres.
func NewScene(n int) *Scene {
	s := &Scene{light: vector{1, 2, -3}.unit()}
	for i := range n {
		for j := range n {
			at := vector{float64(2*i - n + 1), float64(2*j - n + 1), 8}
			s.spheres = append(s.spheres, &sphere{at, 0.8, 0.3 + 0.7*float64(i+j)/float64(2*n)})
		}
	}
	return s
}

// colour is the brightness, 0 to 255, that a ray sees.
func (s *Scene) colour(from, direction vector) byte {
	var nearest *sphere
	distance := math.Inf(1)
	for _, o := range s.spheres {
		if t := o.hit(from, direction); t > 0 && t < distance {
			nearest, distance = o, t
		}
	}
	if nearest == nil {
		return 0
	}
	at := from.along(direction, distance)
	normal := at.sub(nearest.centre).unit()
	return byte(255 * nearest.shade * max(0.1, normal.dot(s.light)))
}

// renderer is one picture at work.
type renderer struct {
	scene *Scene
	size  int

	mu       sync.Mutex
	next     int
	rows     [][]byte
	checksum int
}

// Render returns a square picture of the given size and the sum of its pixels.
func (s *Scene) Render(size, workers int) (rows [][]byte, checksum int) {
	r := &renderer{scene: s, size: size, rows: make([][]byte, size)}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(r.work)
	}
	wg.Wait()
	return r.rows, r.checksum
}

func (r *renderer) work() {
	for {
		y := r.take()
		if y >= r.size {
			return
		}
		r.done(y, r.row(y))
	}
}

func (r *renderer) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next - 1
}

func (r *renderer) row(y int) []byte {
	row := make([]byte, r.size)
	half := float64(r.size) / 2
	for x := range row {
		direction := vector{(float64(x) - half) / half, (float64(y) - half) / half, 2}.unit()
		row[x] = r.scene.colour(vector{}, direction)
	}
	return row
}

func (r *renderer) done(y int, row []byte) {
	sum := 0
	for _, p := range row {
		sum += int(p)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[y] = row
	r.checksum += sum
}
