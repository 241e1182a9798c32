package orders

import "testing"

// The paper does not say how large its programs are. The sizes are such that random
// finds about as many partial orders as there.

func TestBoundedBuffer(t *testing.T) {
	if sum := exchange(2, 2, 1); sum != 4 {
		t.Errorf("%d values arrived", sum)
	}
}

func TestPipeline(t *testing.T) {
	if sum := flow(6, 2); sum != 12 {
		t.Errorf("sum %d", sum)
	}
}

func TestPhilo(t *testing.T) {
	if eaten := dine(3, 3); eaten != 9 {
		t.Errorf("%d meals", eaten)
	}
}

func TestMoldyn(t *testing.T) {
	s := &particles{at: make([]float64, 12)}
	for i := range s.at {
		s.at[i] = float64(i)
	}
	s.interact(10)
	if s.energy == 0 || s.forces[0] <= 0 {
		t.Errorf("energy %g", s.energy)
	}
}

func TestMontecarlo(t *testing.T) {
	if mean := simulate(10, 40, 10); mean == 0 {
		t.Errorf("mean %g", mean)
	}
}

func TestRaytracer(t *testing.T) {
	if sum := render(10, 10); sum == 0 {
		t.Error("the picture is black")
	}
}
