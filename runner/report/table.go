package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// row is a line of a schedule: one step, or several that are shown as one.
type row struct {
	task  int
	text  string
	pos   string
	first int // number of its first step, from 1
	steps int
}

// table lays out the steps of a schedule, a column for each goroutine, or as a list
// where columns do not fit.
func table(f *Finding, width int, verbose bool) []string {
	rows := collapse(f.Steps)
	tasks := taskOrder(f)
	number := len(fmt.Sprint(len(f.Steps))) + 2
	column := 0
	if n := len(tasks); n > 0 {
		column = (width - number) / n
	}
	layout := listRow
	var out []string
	if len(tasks) <= maxColumns && column >= minColumn {
		column = min(column, columnWidth(f, rows, tasks))
		out = header(f, tasks, number, column)
		layout = columnRow
	} else {
		for _, id := range tasks {
			out = append(out, strings.TrimRight(fmt.Sprintf("  %-14s %s", taskName(f, id), started(f, id)), " "))
		}
		out = append(out, "")
	}
	elide := len(rows) > maxRows && !verbose
	tail := len(rows) - (maxRows - headRows)
	last := 0
	for i, r := range rows {
		if elide && i >= headRows && i < tail {
			if i == headRows {
				out = append(out, fmt.Sprintf("%*s... %d more steps; -v shows them", number, "", rows[tail].first-r.first))
			}
			last = r.task
			continue
		}
		out = append(out, layout(f, r, tasks, number, column, i > 0 && r.task == last))
		last = r.task
	}
	return out
}

// taskOrder returns the tasks that take steps, in the order of their creation.
func taskOrder(f *Finding) []int {
	var ids []int
	for _, s := range f.Steps {
		if !slices.Contains(ids, s.Task) {
			ids = append(ids, s.Task)
		}
	}
	slices.Sort(ids)
	return ids
}

// started says what a task runs and where it was started.
func started(f *Finding, id int) string {
	for _, t := range f.Tasks {
		if t.ID != id {
			continue
		}
		fn := t.Func[strings.LastIndexByte(t.Func, '/')+1:]
		if _, name, ok := strings.Cut(fn, "."); ok {
			fn = name
		}
		if t.Spawned.File != "" {
			return fmt.Sprintf("%s (%s)", fn, t.Spawned)
		}
		return fn
	}
	return ""
}

func header(f *Finding, tasks []int, number, column int) []string {
	var names, starts, line strings.Builder
	fmt.Fprintf(&names, "%*s", number, "")
	fmt.Fprintf(&starts, "%*s", number, "")
	fmt.Fprintf(&line, "%*s", number, "")
	for _, id := range tasks {
		names.WriteString(cell(taskName(f, id), column))
		starts.WriteString(cell(started(f, id), column))
		line.WriteString(strings.Repeat("-", column-2) + "  ")
	}
	return []string{names.String(), starts.String(), line.String()}
}

// cell pads or cuts text to width, which includes a gap of two.
func cell(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n > width-2 {
		return string([]rune(text)[:width-3]) + "…  "
	}
	return text + strings.Repeat(" ", width-n)
}

// columnWidth returns the width that the widest cell needs.
func columnWidth(f *Finding, rows []row, tasks []int) int {
	w := minColumn
	for _, r := range rows {
		w = max(w, utf8.RuneCountInString(r.label())+2)
	}
	for _, id := range tasks {
		w = max(w, utf8.RuneCountInString(taskName(f, id))+2, utf8.RuneCountInString(started(f, id))+2)
	}
	return w
}

func (r row) label() string { return r.text + "  " + r.pos }

func columnRow(f *Finding, r row, tasks []int, number, column int, same bool) string {
	at := slices.Index(tasks, r.task)
	label := r.label()
	if over := utf8.RuneCountInString(label) - (column - 2); over > 0 { // the position matters more
		if keep := utf8.RuneCountInString(r.text) - over - 1; keep > 0 {
			label = string([]rune(r.text)[:keep]) + "…  " + r.pos
		}
	}
	return fmt.Sprintf("%*d  %s%s", number-2, r.first, strings.Repeat(" ", at*column), label)
}

func listRow(f *Finding, r row, tasks []int, number, column int, same bool) string {
	name := taskName(f, r.task)
	if same {
		name = ""
	}
	return fmt.Sprintf("%*d  %-14s %s", number-2, r.first, name, r.label())
}

// collapse joins repetitions: a task that performs the same sequence of at most
// maxPeriod steps again and again gets one row per step of the sequence.
func collapse(steps []Step) []row {
	var rows []row
	for i := 0; i < len(steps); {
		period, times := repetition(steps[i:])
		for j := range period {
			s := steps[i+j]
			r := row{task: s.Task, text: describe(s), pos: s.Position.String(), first: i + j + 1, steps: times}
			if times > 1 {
				r.text += fmt.Sprintf(" ×%d", times)
			}
			rows = append(rows, r)
		}
		i += period * times
	}
	return rows
}

const maxPeriod = 6 // steps of a loop that is recognised

// repetition returns the loop at the beginning of steps that covers most of them: its
// length and how often it runs; 1, 1 if there is none.
func repetition(steps []Step) (period, times int) {
	period, times = 1, 1
	for p := 1; p <= maxPeriod && 2*p <= len(steps); p++ {
		n := 1
		for (n+1)*p <= len(steps) && equalSteps(steps[:p], steps[n*p:(n+1)*p]) {
			n++
		}
		// Twice the same is only worth joining if it is long.
		if n > 1 && (p == 1 || n > 2) && n*p > period*times {
			period, times = p, n
		}
	}
	return period, times
}

func equalSteps(a, b []Step) bool {
	for i := range a {
		if a[i].Task != b[i].Task || a[i].Op != b[i].Op || a[i].Object != b[i].Object || a[i].Position != b[i].Position || a[i].Blocked != b[i].Blocked {
			return false
		}
	}
	return true
}

// describe names a step.
func describe(s Step) string {
	text := strings.TrimRight(s.Op+" "+s.Object, " ")
	if s.Value != "" {
		text += " = " + s.Value
	}
	if s.Blocked {
		text += ": blocks"
	}
	return text
}
