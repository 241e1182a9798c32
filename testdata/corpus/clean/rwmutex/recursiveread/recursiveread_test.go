package recursiveread

import (
	"sync"
	"testing"
)

func TestTable(t *testing.T) {
	table := new(Table)
	table.Append(1)
	var wg sync.WaitGroup
	wg.Go(func() { table.Append(2) })
	if sum := table.Sum(); sum != 1 && sum != 3 {
		t.Errorf("sum %d, want 1 or 3", sum)
	}
	wg.Wait()
	if table.Row(1) != 2 {
		t.Errorf("row 1 is %d, want 2", table.Row(1))
	}
}
