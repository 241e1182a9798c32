package report

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read returns the events of a file of JSON lines.
func read(t *testing.T, file string) []Event {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		e, err := Parse(sc.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// The text of saved runs, event by event.
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no saved runs", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			h := NewText(&got, TextStyle{})
			for _, e := range read(t, file) {
				h.Handle(e)
			}
			golden := strings.TrimSuffix(file, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
			}
		})
	}
}

// What JSON writes, Parse reads: the schema has all fields.
func TestJSONRoundTrip(t *testing.T) {
	for _, want := range allEvents {
		var b bytes.Buffer
		NewJSON(&b).Handle(want)
		got, err := Parse(b.Bytes())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	if _, err := Parse([]byte(`{"event":"nonsense"}`)); err == nil {
		t.Error("an unknown event is accepted")
	}
}

// The schema is pinned: if this test fails because a field was removed, renamed or
// changed its meaning, raise SchemaVersion. New fields only change the golden file.
func TestSchemaIsPinned(t *testing.T) {
	var got bytes.Buffer
	h := NewJSON(&got)
	for _, e := range allEvents {
		h.Handle(e)
	}
	if *update {
		if err := os.WriteFile("testdata/schema.jsonl", got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/schema.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

// allEvents has one event of each type, no field of which is zero.
var allEvents = []Event{
	Start{Schema: SchemaVersion, Coop: "v1", Go: "go1.26.1", Strategy: "random", Seed: 1, Trials: 1000, Seconds: 1.5, Workers: 2, Isolated: true},
	Build{Package: "p", Instrumented: 1, Sites: 12, Cached: true, Seconds: 0.5, Error: "x.go:1: oops"},
	Progress{Package: "p", Test: "TestX", TestsDone: 1, Tests: 2, Trials: 100, PerSecond: 1e5, Distinct: 7, Activity: "shortening"},
	Finding{
		Package: "p", Dir: "/p", Test: "TestX", Kind: "race", Message: "m", Key: "k", Strategy: "random", Seed: 1, Trial: 17,
		Saved: true, Reproduced: true, Switches: 2, Original: 9, Turns: true,
		Tasks:   []Task{{ID: 1, Name: "1", Func: "p.f", Spawned: Position{"p.go", 3, "p.g"}}},
		Steps:   []Step{{Task: 1, Op: "read", Object: "x", Enabled: 2, Blocked: true, Private: true, Value: "3", Now: 5, Position: Position{"p.go", 4, "p.f"}}},
		States:  []State{{Task: 1, State: "blocked", Op: "lock", Object: "mu", HeldBy: 2, Stack: "s", Position: Position{"p.go", 5, "p.f"}}},
		Omitted: 2, Gap: 7, GapAt: 1,
		Output: "o", File: "/p/f", Token: "coop1-x", Replay: "cooprun -replay f", Notes: []string{"n"},
	},
	Violation{
		Package: "p", Dir: "/p", Test: "TestX", Location: "c.n", Claim: "locked", Reason: "two accesses", Strategy: "random", Seed: 1, Trial: 3, Reproduced: true,
		Accesses: []AuditAccess{
			{Task: "1", Op: "write", Location: "c.n", Claim: "locked", Locks: []Position{{"p.go", 7, "p.f"}}, Stack: "p.f\n\tp.go:8\n", Position: Position{"p.go", 8, "p.f"}},
			{Task: "main", Op: "read", Location: "c.n", Claim: "locked", Position: Position{"p.go", 9, "p.g"}},
		},
	},
	Note{Package: "p", Test: "TestX", Text: "t"},
	TestResult{Package: "p", Test: "TestX", Status: Fail, Findings: 1, Trials: 10, Distinct: 5, Steps: 100, Seconds: 0.25,
		Search: &Search{Complete: true, Of: "classes", Explored: 4, Redundant: 1, Open: 2, Unknown: []string{"u"}},
		Orders: &Orders{
			Trials: 10, Distinct: 4, Top: 0.5, Unseen: 0.2, UnseenMax: 0.75, Confidence: 0.95, Tasks: 3, Choices: 7, PCT: []float64{1. / 3, 1. / 21},
		},
		Accesses: &Accesses{All: 50, Visible: 5}},
	Comparison{Package: "p", Test: "TestX", Trials: 100, Seeds: 2, Strategies: []Compared{
		{Strategy: "random", Mean: 3.5, Missed: 1, Run: 200, Counted: 100, Distinct: 2, Curve: []int{1, 2}, Shares: []float64{0.75, 0.25}},
	}},
	PackageResult{Package: "p", Status: Skip, Reason: "no test files", Tests: 1, Trials: 10, Seconds: 0.5},
	Summary{Packages: 1, Tests: 1, Failed: 1, Findings: 1, Trials: 10, Seconds: 1, Interrupted: true},
}

// Every field of every event is in allEvents, so that the two tests above miss none.
func TestAllEventsIsComplete(t *testing.T) {
	for _, e := range allEvents {
		v := reflect.ValueOf(e)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%T.%s is zero", e, v.Type().Field(i).Name)
			}
		}
	}
}

func TestProgressLineIsErased(t *testing.T) {
	var b bytes.Buffer
	h := NewText(&b, TextStyle{Progress: true, Width: 40})
	h.Handle(Progress{Package: "example.com/a/very/long/package/name", Tests: 2})
	if strings.Contains(b.String(), "\n") || len(b.String()) > 60 {
		t.Errorf("progress is not one short line: %q", b.String())
	}
	h.Handle(PackageResult{Package: "p", Status: Pass})
	if !strings.Contains(b.String(), erase+"ok") {
		t.Errorf("the progress line is not erased: %q", b.String())
	}
	b.Reset()
	h = NewText(&b, TextStyle{})
	h.Handle(Progress{Package: "p", Tests: 2})
	if b.Len() > 0 {
		t.Errorf("progress without a terminal: %q", b.String())
	}
}

func TestRepetition(t *testing.T) {
	step := func(op string) Step { return Step{Op: op} }
	loop := []Step{step("a"), step("b"), step("a"), step("b"), step("a"), step("b"), step("c")}
	if p, n := repetition(loop); p != 2 || n != 3 {
		t.Errorf("a b a b a b c: period %d × %d, want 2 × 3", p, n)
	}
	if p, n := repetition(loop[5:]); p != 1 || n != 1 {
		t.Errorf("b c: period %d × %d, want 1 × 1", p, n)
	}
	if p, n := repetition(loop[:4]); p != 1 || n != 1 {
		t.Errorf("a b a b: period %d × %d, want 1 × 1: twice is readable", p, n)
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("one two three four", 9, "> "), "one two\n> three\n> four"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where steps are missing, the table says so and the numbers go on behind them.
func TestGap(t *testing.T) {
	f := &Finding{Kind: "livelock", Tasks: []Task{{ID: 0, Name: "main"}}, Gap: 100_000, GapAt: 2}
	for i := range 4 {
		f.Steps = append(f.Steps, Step{Op: "read", Object: "x", Enabled: 1, Position: Position{File: "x.go", Line: 10 + i}})
	}
	got := strings.Join(table(f, 100, false), "\n")
	for _, want := range []string{"     2  read x ", "100003  read x (after 100000 that are not traced) ", "100004  read x "} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
	for range maxRows {
		f.Steps = append(f.Steps, Step{Op: "read", Enabled: 1, Position: Position{File: "y.go", Line: len(f.Steps)}})
	}
	if got := strings.Join(table(f, 100, false), "\n"); !strings.Contains(got, "... 4 more steps; -v shows them\n100015") {
		t.Errorf("the shortened table does not count what it leaves out:\n%s", got)
	}
	f.GapAt = headRows + 1
	if got := strings.Join(table(f, 100, false), "\n"); !strings.Contains(got, "... 100004 more steps; -v shows them, but for 100000 that were not traced") {
		t.Errorf("the shortened table does not count what is not traced:\n%s", got)
	}
}

func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		orders Orders
		want   string
	}{
		{Orders{}, "no schedules were counted"},
		{Orders{Trials: 1000, Distinct: 64, Top: 0.123, Unseen: 0.004, UnseenMax: 0.019, Confidence: 0.95, Tasks: 3, Choices: 17, PCT: []float64{1. / 3, 1. / 51}},
			"64 partial orders in 1000 schedules; the most frequent one in 12 % of them"},
		{Orders{Trials: 1000, Unseen: 0.004, UnseenMax: 0.019, Confidence: 0.95}, "not seen: 0.4 % of what the strategy draws (Good-Turing), at most 1.9 % with 95 % confidence"},
		{Orders{Trials: 1, Unseen: 1, UnseenMax: 1}, "not seen: 100 % of what the strategy draws (Good-Turing), no limit can be given"},
		{Orders{Trials: 1, Tasks: 3, Choices: 17, PCT: []float64{1. / 3, 1. / 51}}, "3 goroutines, 17 choices: a schedule of pct finds a bug of depth 1, 2, ... with probability 1/3, 1/51 or more"},
	} {
		var b bytes.Buffer
		NewText(&b, TextStyle{}).Handle(TestResult{Test: "TestX", Status: Pass, Orders: &tt.orders})
		if !strings.Contains(b.String(), indent+tt.want) {
			t.Errorf("%+v: %q, want %q", tt.orders, b.String(), tt.want)
		}
	}
}

func TestPicture(t *testing.T) {
	var b bytes.Buffer
	h := NewPicture(&b)
	h.Handle(Comparison{Package: "p<q>", Test: "TestX", Trials: 100, Seeds: 2, Strategies: []Compared{
		{Strategy: "random", Mean: 3.5, Counted: 100, Distinct: 2, Curve: []int{1, 2}, Shares: []float64{0.75, 0.25}},
		{Strategy: "none", Mean: 100, Missed: 2},
	}})
	h.Handle(Summary{})
	dec := xml.NewDecoder(&b)
	count := map[string]int{}
	text := ""
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
		case xml.CharData:
			text += string(e)
		}
	}
	// The page, two bars of failures, two shares; one curve.
	if count["svg"] != 1 || count["rect"] != 1+2+2 || count["polyline"] != 1 {
		t.Errorf("elements: %v", count)
	}
	for _, want := range []string{"p<q> TestX", "not found", "3.5", "random", "none"} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture does not say %q: %s", want, text)
		}
	}
}

func TestComparisonTable(t *testing.T) {
	var b bytes.Buffer
	NewText(&b, TextStyle{}).Handle(Comparison{Test: "TestX", Trials: 100, Seeds: 2, Strategies: []Compared{
		{Strategy: "random", Mean: 3.5, Counted: 100, Distinct: 2, Shares: []float64{0.75, 0.25}},
		{Strategy: "none", Mean: 100, Missed: 2},
	}})
	want := `TestX: 100 schedules, 2 seeds
    strategy     first failure  not found  partial orders  most frequent
    random                 3.5          0               2           75 %
    none                     -          2               -              -
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

// What many tasks wait for in one place is one row, and tasks without a row are not in the
// header. A timer is told by its function: the runtime starts them all in one place.
func TestCrowd(t *testing.T) {
	f := &Finding{Kind: "deadlock", Tasks: []Task{{ID: 0, Name: "main"}}, Test: "TestX"}
	for id := 1; id <= 50; id++ {
		f.Tasks = append(f.Tasks, Task{ID: id, Name: fmt.Sprintf("timer %d", id), Func: "example.com/x.tick", Spawned: Position{File: "time/sleep.go", Line: 215}})
		f.States = append(f.States, State{Task: id, State: "blocked", Op: "lock", Object: "mu", Position: Position{File: "x.go", Line: 1 + id/48}})
	}
	got := strings.Join(table(f, 100, false), "\n")
	for _, want := range []string{"timer 1   x.tick\n", "waits: lock mu (and 46 more)  ", "  waits: lock mu  ", "timer 50  x.tick\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "timer 2 ") {
		t.Errorf("a task without a row is in the table:\n%s", got)
	}
}
