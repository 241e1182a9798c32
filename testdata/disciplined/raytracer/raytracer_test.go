package raytracer

import (
	"slices"
	"testing"
)

func TestRender(t *testing.T) {
	scene := NewScene(3)
	want, sum := scene.Render(16, 1)
	got, sum2 := scene.Render(16, 3)
	if sum == 0 || sum != sum2 {
		t.Errorf("checksum %d with one worker, %d with three", sum, sum2)
	}
	for y := range want {
		if !slices.Equal(want[y], got[y]) {
			t.Errorf("row %d differs", y)
		}
	}
}
