package merge

import "testing"

func TestMerge(t *testing.T) {
	a, b := make(chan int), make(chan int)
	for i, ch := range []chan int{a, b} {
		go func() {
			ch <- i
			close(ch)
		}()
	}
	all := Merge(a, b)
	if len(all) != 2 || all[0] == all[1] {
		t.Errorf("merged to %v, want 0 and 1", all)
	}
}
