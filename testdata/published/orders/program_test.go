package orders

import "testing"

// The paper does not say how large its programs are, only their numbers of threads. The sizes
// are those at which random finds a number of partial orders near the paper's, so far as
// there is one; for the buffer and the philosophers there is none between few and nearly all.

func TestBoundedBuffer(t *testing.T) {
	if sum := exchange(2, 2, 2); sum != 4 {
		t.Errorf("%d values arrived", sum)
	}
}

func TestPipeline(t *testing.T) {
	if sum := flow(6, 1); sum != 6 {
		t.Errorf("sum %d", sum)
	}
}

func TestPhilo(t *testing.T) {
	if eaten := dine(3, 3); eaten != 9 {
		t.Errorf("%d meals", eaten)
	}
}

func TestMoldyn(t *testing.T) {
	s := &particles{at: make([]float64, 40)}
	for i := range s.at {
		s.at[i] = float64(i)
	}
	s.interact(10)
	if s.energy == 0 || s.forces[0] <= 0 {
		t.Errorf("energy %g", s.energy)
	}
}

func TestMontecarlo(t *testing.T) {
	if mean := simulate(10, 800, 10); mean == 0 {
		t.Errorf("mean %g", mean)
	}
}

func TestRaytracer(t *testing.T) {
	if sum := render(200, 10); sum == 0 {
		t.Error("the picture is black")
	}
}
