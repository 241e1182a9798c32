package useafterput

import (
	"sync"
	"testing"
)

func TestUpper(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for lower, upper := range map[string]string{"ann": "ANN", "bob": "BOB"} {
		wg.Go(func() {
			for i, letter := range c.Upper(lower) {
				if letter != upper[i] {
					t.Errorf("letter %d of %s is %c", i, upper, letter)
				}
			}
		})
	}
	wg.Wait()
}
