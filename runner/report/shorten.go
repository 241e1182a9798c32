package report

import (
	"fmt"
	"slices"
)

// hidden counts what is left out of a table in one place.
type hidden struct {
	rows     int
	untraced int // steps between them that have no rows
}

// String is the line that stands for it.
func (h *hidden) String() string {
	text := fmt.Sprintf("... %d more steps; -v shows them", h.rows+h.untraced)
	if h.untraced > 0 {
		text += fmt.Sprintf(", but for %d that were not traced", h.untraced)
	}
	return text
}

// shorten returns at most maxRows of rows: the first and the last ones, and between them
// those that tell how the tasks that f is about have come to where they are.
func shorten(f *Finding, rows []row) []row {
	if len(rows) <= maxRows {
		return rows
	}
	keep := make([]bool, len(rows))
	left := maxRows
	take := func(i int) {
		if !keep[i] {
			keep[i] = true
			left--
		}
	}
	for i := range headRows {
		take(i)
	}
	for _, i := range telling(f, rows) {
		if left > tailRows {
			take(i)
		}
	}
	for i := len(rows) - 1; left > 0; i-- {
		take(i)
	}
	return without(rows, keep)
}

// without returns the rows to keep, and such others as would be left out alone: a line must
// say that something is left out.
func without(rows []row, keep []bool) (out []row) {
	for i := 0; i < len(rows); i++ {
		var h hidden
		for first := i; !keep[i] && !(i == first && keep[i+1]); i++ {
			h.rows++
			h.untraced += rows[i].untraced
		}
		r := rows[i]
		if h.rows > 0 {
			r.hidden = &h
		}
		out = append(out, r)
	}
	return out
}

// telling returns indices of rows, the most important ones first: of the tasks that cannot go
// on at the end the last steps, then those that started them, then the last but one. Of
// tasks whose last steps are alike, maxAlike will do.
func telling(f *Finding, rows []row) []int {
	steps, starts := tracks(f, rows)
	type what struct{ text, pos string }
	count := make(map[what]int)
	var last, first, before []int
	for _, s := range f.States {
		own := steps[s.Task]
		if s.State == "enabled" || len(own) == 0 {
			continue
		}
		end := own[len(own)-1]
		k := what{rows[end].text, rows[end].pos}
		if count[k]++; count[k] > maxAlike {
			continue
		}
		last = append(last, end)
		if i, ok := starts[s.Task]; ok {
			first = append(first, i)
		}
		if len(own) > 1 {
			before = append(before, own[len(own)-2])
		}
	}
	return slices.Concat(last, first, before)
}

// tracks returns, by task, the indices of its steps and of the step that has started it.
func tracks(f *Finding, rows []row) (steps map[int][]int, starts map[int]int) {
	ids := make(map[string]int)
	for _, t := range f.Tasks {
		ids[t.Name] = t.ID
	}
	steps, starts = make(map[int][]int), make(map[int]int)
	for i, r := range rows {
		if r.number > 0 {
			steps[r.task] = append(steps[r.task], i)
		}
		if id, ok := ids[r.starts]; ok {
			starts[id] = i
		}
	}
	return steps, starts
}
