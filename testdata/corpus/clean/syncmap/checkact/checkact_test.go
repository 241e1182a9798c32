package checkact

import (
	"sync"
	"testing"
)

func TestRoom(t *testing.T) {
	var c Chat
	var got [2]*Room
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = c.Room("go") })
	}
	wg.Wait()
	if got[0] != got[1] {
		t.Error("two rooms of the same name")
	}
}
