// Package recursiveread takes the read lock once.
package recursiveread

import "sync"

// A Table has readers and writers.
type Table struct {
	mu   sync.RWMutex
	rows []int
}

// Row returns row i.
func (t *Table) Row(i int) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[i]
}

// Sum returns the sum of all rows.
func (t *Table) Sum() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	sum := 0
	for _, row := range t.rows {
		sum += row
	}
	return sum
}

// Append adds a row.
func (t *Table) Append(row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row)
}
