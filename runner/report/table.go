package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxRows   = 36 // of a schedule, unless verbose: the rest of a screen is for the text around it
	headRows  = 10 // of those, from the beginning,
	tailRows  = 12 // and from the end; the others may go to the tasks that it is about
	maxColumn = 28 // characters of a column, with its gap
	minText   = 30 // characters for operations
	columnGap = 2
)

// row is a line of a schedule: one step, or several that are shown as one.
type row struct {
	task     int
	text     string
	pos      string
	number   int     // of its first step, from 1; 0 for what a task waits to do at the end
	starts   string  // name of the goroutine that it starts
	untraced int     // steps that are missing before it
	hidden   *hidden // what is left out before it
}

// table lays out the steps of a schedule, a column for each goroutine, or as a list
// where columns do not fit into width. Positions are at the right.
func table(f *Finding, width int, verbose bool) []string {
	end := pending(f)
	rows := append(stepRows(f, false), end...)
	private := false
	if len(rows) > maxRows && !verbose {
		n := len(rows)
		rows = append(stepRows(f, true), end...)
		private = len(rows) < n
	}
	if !verbose {
		rows = shorten(f, rows)
	}
	l := newLayout(f, rows, width)
	out := l.header()
	for i, r := range rows {
		if r.hidden != nil {
			out = append(out, strings.Repeat(" ", l.number+columnGap)+r.hidden.String())
		}
		out = append(out, l.row(r, i > 0 && r.hidden == nil && rows[i-1].task == r.task))
	}
	if private {
		out = append(out, "", "without accesses to memory that only one goroutine touches; -v shows them")
	}
	return out
}

// layout is the division of the width: the step's number, a column for each task or a
// column of names, the operation, which begins in its task's column, and the position.
type layout struct {
	f      *Finding
	tasks  []int // in the order of their creation
	number int   // width of step numbers
	name   int   // width of names
	column int   // width of a task's column; 0: a list
	area   int   // width of names, columns and operations
}

func newLayout(f *Finding, rows []row, width int) *layout {
	l := &layout{f: f, number: len(fmt.Sprint(len(f.Steps) + f.Gap))}
	pos, text := 0, 0
	for _, r := range rows {
		if !slices.Contains(l.tasks, r.task) {
			l.tasks = append(l.tasks, r.task)
		}
		pos = max(pos, utf8.RuneCountInString(r.pos))
		text = max(text, utf8.RuneCountInString(r.text)+columnGap)
	}
	slices.Sort(l.tasks)
	for _, id := range l.tasks {
		l.name = max(l.name, len(taskName(f, id))+columnGap)
	}
	room := max(minText, width-l.number-columnGap-pos)
	if others := len(l.tasks) - 1; others <= 0 {
		l.column = l.name
	} else if c := (room - text) / others; c >= l.name {
		l.column = min(c, maxColumn)
	}
	if l.column > 0 {
		l.area = min(room, max(len(l.tasks)*l.column, (len(l.tasks)-1)*l.column+text))
	} else {
		l.area = min(room, l.name+text)
	}
	return l
}

// header names the tasks and says where they were started.
func (l *layout) header() []string {
	var out []string
	margin := strings.Repeat(" ", l.number+columnGap)
	for _, id := range l.tasks {
		out = append(out, margin+cell(taskName(l.f, id), l.name)+started(l.f, id))
	}
	out = append(out, "")
	if l.column == 0 {
		return out
	}
	names, line := margin, margin
	for _, id := range l.tasks {
		name := taskName(l.f, id)
		names += cell(name, l.column)
		line += cell(strings.Repeat("─", len(name)), l.column)
	}
	return append(out, names, line)
}

// row lays out one row; again says that the row before is the same task's.
func (l *layout) row(r row, again bool) string {
	number := fmt.Sprintf("%*d", l.number, r.number)
	if r.number == 0 {
		number = strings.Repeat(" ", l.number)
	}
	before := strings.Repeat(" ", slices.Index(l.tasks, r.task)*l.column)
	if l.column == 0 {
		name := taskName(l.f, r.task)
		if again {
			name = ""
		}
		before = cell(name, l.name)
	}
	return number + strings.Repeat(" ", columnGap) + before + cell(r.text, l.area-utf8.RuneCountInString(before)) + r.pos
}

// cell pads or cuts text to width, which includes the gap.
func cell(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if room := width - columnGap; n > room {
		text, n = string([]rune(text)[:max(0, room-1)])+"…", room
	}
	return text + strings.Repeat(" ", max(0, width-n))
}

// started says what a task runs and where it was started.
func started(f *Finding, id int) string {
	if id == 0 {
		return f.Test
	}
	for _, t := range f.Tasks {
		if t.ID != id {
			continue
		}
		if t.Spawned.File == "" || strings.HasPrefix(t.Name, "timer") { // all timers start in one place
			return t.Func[strings.LastIndexByte(t.Func, '/')+1:]
		}
		return "from " + t.Spawned.String()
	}
	return ""
}

// pending returns rows for what tasks are about to do at the end: what blocked ones
// wait for, unless their last step shows it, and racing accesses. Where many tasks wait for
// the same in one place, the first one's row counts them.
func pending(f *Finding) []row {
	last := make(map[int]Step)
	for _, s := range f.Steps {
		last[s.Task] = s
	}
	var rows []row
	for _, s := range f.States {
		text := "waits: "
		switch l := last[s.Task]; {
		case s.State == "racing":
			text = "races: "
		case s.State != "blocked" || l.Blocked && l.Op == s.Op:
			continue
		}
		text += action(s.Op, s.Object)
		rows = append(rows, row{task: s.Task, text: text, pos: s.Position.String()})
	}
	return alike(rows)
}

const maxAlike = 3 // rows that differ in their task only

// alike replaces what is more than maxAlike rows that differ in their task only by the first one.
func alike(rows []row) []row {
	type what struct{ text, pos string }
	count := make(map[what]int)
	for _, r := range rows {
		count[what{r.text, r.pos}]++
	}
	var out []row
	for _, r := range rows {
		k := what{r.text, r.pos}
		switch n := count[k]; {
		case n > maxAlike:
			r.text += fmt.Sprintf(" (and %d more)", n-1)
			count[k] = -1
		case n < 0:
			continue
		}
		out = append(out, r)
	}
	return out
}

// stepRows returns the rows of the steps of f. Where steps are missing, the numbers go on
// behind them.
func stepRows(f *Finding, hide bool) []row {
	if f.Gap == 0 {
		return collapse(f.Steps, hide)
	}
	rows := collapse(f.Steps[:f.GapAt], hide)
	for i, r := range collapse(f.Steps[f.GapAt:], hide) {
		r.number += f.GapAt + f.Gap
		if i == 0 {
			r.untraced = f.Gap
			r.text += fmt.Sprintf(" (after %d that are not traced)", f.Gap)
		}
		rows = append(rows, r)
	}
	return rows
}

// collapse returns the rows of a schedule, without private accesses if hide is set. A
// sequence of at most maxPeriod steps that repeats gets one row per step of the
// sequence.
func collapse(steps []Step, hide bool) []row {
	numbers := make([]int, 0, len(steps))
	var shown []Step
	for i, s := range steps {
		if !hide || !s.Private {
			shown, numbers = append(shown, s), append(numbers, i+1)
		}
	}
	var rows []row
	for i := 0; i < len(shown); {
		period, times := repetition(shown[i:])
		for j := range period {
			s := shown[i+j]
			r := row{task: s.Task, text: describe(s), pos: s.Position.String(), number: numbers[i+j]}
			if s.Op == "go" {
				r.starts = s.Object
			}
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
		// Two rounds of several steps are as readable in full.
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
	text := action(s.Op, s.Object)
	if s.Value != "" {
		text += " = " + s.Value
	}
	if s.Blocked {
		text += ": waits"
	}
	return text
}

// action is an operation in words.
func action(op, object string) string {
	if verb, ok := verbs[op]; ok {
		op = verb
	}
	if op == "go" && object != "" {
		return "go goroutine " + object
	}
	return strings.TrimSpace(op + " " + object)
}

// verbs replaces the schema's names of operations where they are not plain words.
var verbs = map[string]string{
	"atomic-load": "atomic read", "atomic-store": "atomic write", "atomic-rmw": "atomic update",
	"map-read": "read map", "map-write": "write map",
	"rlock": "read-lock", "tryrlock": "try read-lock", "runlock": "read-unlock",
	"wlock": "lock", "trywlock": "try lock", "trylock": "try lock", "wunlock": "unlock",
	"recv": "receive", "select-default": "select", "chan-len": "len of",
	"wg-add": "add to", "wg-wait": "wait for", "cond-wait": "wait for", "cond-signal": "signal", "cond-broadcast": "broadcast",
	"once": "do once", "timer-set": "set timer", "timer-fire": "timer fires", "io-wait": "input/output",
}
