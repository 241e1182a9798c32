package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// schedule is a leak with n steps, all in different lines: those of others, by number, and main's.
func schedule(n int, others map[int]Step) *Finding {
	f := &Finding{Kind: "leak", Test: "TestX", Tasks: []Task{{ID: 0, Name: "main"}, {ID: 1, Name: "1"}, {ID: 2, Name: "2"}}}
	for i := 1; i <= n; i++ {
		s, ok := others[i]
		if !ok {
			s = Step{Op: "read", Object: fmt.Sprint("x", i)}
		}
		s.Position = Position{File: "x.go", Line: i}
		f.Steps = append(f.Steps, s)
	}
	return f
}

// rowsOf returns the numbers of a table's rows, and how many rows it says are left out.
func rowsOf(t *testing.T, lines []string) (numbers []int, left int) {
	t.Helper()
	for _, l := range lines {
		if m := regexp.MustCompile(`^ *(?:\.\.\. )?(\d+) `).FindStringSubmatch(l); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(l, "...") {
				left += n
			} else {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers, left
}

// The middle of a long schedule is left out, but not how the tasks that cannot go on have come
// to where they are.
func TestShorten(t *testing.T) {
	f := schedule(200, map[int]Step{
		30: {Op: "go", Object: "1"}, 31: {Op: "go", Object: "2"},
		50: {Task: 1, Op: "read"}, 60: {Task: 1, Op: "lock", Object: "mu"}, 70: {Task: 1, Op: "recv", Object: "c", Blocked: true},
		80: {Task: 2, Op: "send", Object: "d"},
	})
	f.States = []State{{Task: 1, State: "blocked", Op: "recv", Object: "c"}, {Task: 2, State: "enabled", Op: "send"}}
	lines := table(f, 100, false)
	got, left := rowsOf(t, lines)
	var want []int
	for n := 1; n <= headRows; n++ {
		want = append(want, n)
	}
	want = append(want, 30, 60, 70)
	for n := 201 - (maxRows - headRows - 3); n <= 200; n++ {
		want = append(want, n)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || left != 200-maxRows {
		t.Errorf("rows %v and %d more, want %v and %d more:\n%s", got, left, want, 200-maxRows, strings.Join(lines, "\n"))
	}
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "goroutine 1") || strings.Contains(text, "send d") {
		t.Errorf("of goroutine 1, which is blocked, and 2, which is not:\n%s", text)
	}
	f.States[0].State = "enabled"
	if got, _ := rowsOf(t, table(f, 100, false)); got[headRows] != 201-(maxRows-headRows) {
		t.Errorf("rows %v, want the first and the last ones only", got)
	}
}

// However many tasks are blocked, the end is shown, of those that wait alike some, and of the
// others the last steps first of all.
func TestShortenCrowd(t *testing.T) {
	const n, tasks = 300, 50
	others := map[int]Step{}
	for id := 1; id <= tasks; id++ {
		others[17+4*id] = Step{Task: id, Op: "lock", Object: "mu"}
		others[18+4*id] = Step{Task: id, Op: "recv", Object: "c", Blocked: true}
	}
	f := schedule(n, others)
	for id := 1; id <= tasks; id++ {
		s := &f.Steps[17+4*id]
		f.States = append(f.States, State{Task: id, State: "blocked", Op: s.Op, Object: s.Object})
	}
	for _, alike := range []bool{true, false} {
		want := fmt.Sprint(maxRows-headRows-tailRows, " 0") // last steps, and others
		if alike {
			want = fmt.Sprint(maxAlike, " ", maxAlike)
			for i := range f.Steps {
				f.Steps[i].Line = 1
			}
		}
		got, left := rowsOf(t, table(f, 100, false))
		last, before := 0, 0
		for _, n := range got[headRows:] {
			switch s := others[n]; s.Op {
			case "recv":
				last++
			case "lock":
				before++
			}
		}
		if fmt.Sprint(last, before) != want || len(got) != maxRows || left+len(got) != n {
			t.Errorf("alike: %v: %d and %d rows of those that wait, want %s: %v and %d more", alike, last, before, want, got, left)
		}
		for i := range f.Steps {
			f.Steps[i].Line = i + 1
		}
	}
}

// A row is not left out alone: the line that says so would be as long.
func TestShortenLeavesNoneOutAlone(t *testing.T) {
	f := schedule(200, map[int]Step{50: {Task: 1, Op: "lock"}, 52: {Task: 1, Op: "recv", Blocked: true}})
	f.States = []State{{Task: 1, State: "blocked", Op: "recv"}}
	got, left := rowsOf(t, table(f, 100, false))
	if fmt.Sprint(got[headRows:headRows+3]) != "[50 51 52]" || left+len(got) != 200 {
		t.Errorf("rows %v and %d more, want 51 with 50 and 52", got, left)
	}
}
