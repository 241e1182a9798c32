package structcopy

import (
	"sync"
	"testing"
)

func TestSprite(t *testing.T) {
	var s Sprite
	var at Point
	var wg sync.WaitGroup
	wg.Go(func() { at = s.At() })
	wg.Go(func() { s.Move(1) })
	wg.Wait()
	if at.X != at.Y {
		t.Errorf("position %v is not on the diagonal", at)
	}
}
