package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// recorder keeps the events of a run, except for progress.
type recorder struct {
	findings []report.Finding
	tests    []report.TestResult
	notes    []string
}

func (r *recorder) Handle(e report.Event) {
	switch e := e.(type) {
	case report.Finding:
		r.findings = append(r.findings, e)
	case report.TestResult:
		r.tests = append(r.tests, e)
	case report.Note:
		r.notes = append(r.notes, e.Text)
	}
}

func fakeTarget(t *testing.T) *Target {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Target{Package: "example.com/fake", Dir: t.TempDir(), Binary: exe, Build: fakeBuild, Go: "go1.26"}
}

func fakeOptions(t *testing.T, run string) *Options {
	return &Options{
		Run: regexp.MustCompile("^(" + run + ")$"), Strategy: "random", Seed: 1, Trials: 1000, Workers: 2, MaxSteps: 1000,
		Hang: 10 * time.Second, Memory: 1 << 30, Minimise: 10 * time.Second, SaveDir: t.TempDir(), Command: "cooprun",
	}
}

func explore(t *testing.T, target *Target, opts *Options) (*recorder, Stats) {
	t.Helper()
	var r recorder
	stats, err := Explore(t.Context(), target, opts, &r)
	if err != nil {
		t.Fatal(err)
	}
	return &r, stats
}

func TestPassingTestRunsAllTrials(t *testing.T) {
	r, stats := explore(t, fakeTarget(t), fakeOptions(t, "TestPass|TestSkip|TestRecycle"))
	if len(r.findings) > 0 || stats.Failed > 0 {
		t.Fatalf("findings in passing tests: %+v", r.findings)
	}
	if stats.Tests != 3 || stats.Trials != 3000 {
		t.Errorf("stats %+v, want 3 tests, 3000 trials", stats)
	}
	var got []string
	for _, res := range r.tests {
		got = append(got, res.Test+" "+res.Status)
		if res.Trials != 1000 || res.Distinct != 100 {
			t.Errorf("%s: %d trials, %d distinct; want 1000, 100", res.Test, res.Trials, res.Distinct)
		}
	}
	if want := []string{"TestPass pass", "TestRecycle pass", "TestSkip skip"}; !reflect.DeepEqual(got, want) {
		t.Errorf("results %q, want %q (source order)", got, want)
	}
}

// The outcome must not depend on how the trials are divided.
func TestOutcomeIsIndependentOfWorkers(t *testing.T) {
	var want []report.Finding
	for _, workers := range []int{1, 2, 5} {
		opts := fakeOptions(t, "TestLost|TestLost2")
		opts.Workers = workers
		opts.SaveDir = "/dev/null/none" // saving must not matter; it fails here
		r, _ := explore(t, fakeTarget(t), opts)
		for i := range r.findings {
			r.findings[i].Dir = ""
		}
		if want == nil {
			want = r.findings
		}
		if len(r.findings) != 2 || !reflect.DeepEqual(r.findings, want) {
			t.Errorf("%d workers: findings differ:\n%+v\n%+v", workers, r.findings, want)
		}
	}
}

func TestLowestFailureIsReported(t *testing.T) {
	want := -1
	for i := 0; want < 0; i++ {
		p := newModel(&sched.Job{Test: "TestLost", Seed: 1}, i)
		for p.step() {
		}
		if p.lost() {
			want = i
		}
	}
	r, _ := explore(t, fakeTarget(t), fakeOptions(t, "TestLost"))
	if len(r.findings) != 1 || r.findings[0].Trial != want {
		t.Errorf("findings %+v, want one at trial %d", r.findings, want)
	}
}

// A lost update among three tasks that otherwise run one after the other takes three
// context switches: one within a task, one back, one to the third.
func TestFindingIsMinimal(t *testing.T) {
	for _, test := range []string{"TestLost", "TestPanic"} {
		r, _ := explore(t, fakeTarget(t), fakeOptions(t, test))
		if len(r.findings) != 1 {
			t.Fatalf("%s: %d findings, want 1", test, len(r.findings))
		}
		f := r.findings[0]
		if !f.Reproduced || f.Switches != 3 || f.Original <= 3 {
			t.Errorf("%s: reproduced %v, %d switches, originally %d; want true, 3, more", test, f.Reproduced, f.Switches, f.Original)
		}
		if len(f.Steps) != 18 || len(f.Tasks) != 3 {
			t.Errorf("%s: %d steps of %d tasks, want 18 of 3", test, len(f.Steps), len(f.Tasks))
		}
	}
}

func TestDeathsAreAttributed(t *testing.T) {
	tests := []struct {
		test  string
		kind  sched.FailureKind
		says  string
		setup func(*Options)
	}{
		{"TestPanic", sched.FailPanic, "lost at", nil},
		{"TestFatal", sched.FailFatal, "unlock of unlocked mutex", nil},
		{"TestExit", sched.FailExit, `code 1 after printing "cannot go on"`, nil},
		{"TestHang", sched.FailHang, "did not return within 300ms", func(o *Options) { o.Hang = 300 * time.Millisecond }},
	}
	for _, tt := range tests {
		t.Run(tt.test, func(t *testing.T) {
			opts := fakeOptions(t, tt.test)
			opts.Minimise = 0
			if tt.setup != nil {
				tt.setup(opts)
			}
			r, stats := explore(t, fakeTarget(t), opts)
			if stats.Findings != 1 {
				t.Fatalf("%d findings, want 1", stats.Findings)
			}
			f := r.findings[0]
			if f.Kind != string(tt.kind) || !strings.Contains(f.Message, tt.says) || !f.Reproduced || len(f.Steps) != 18 {
				t.Errorf("kind %s, message %q, reproduced %v, %d steps; want %s, %q, true, 18", f.Kind, f.Message, f.Reproduced, len(f.Steps), tt.kind, tt.says)
			}
		})
	}
}

// Much memory is a finding only if the test uses it under the Go scheduler, too.
func TestMemory(t *testing.T) {
	run := func(test string) (*recorder, Stats) {
		opts := fakeOptions(t, test)
		opts.Memory, opts.Trials = 128<<20, 100
		return explore(t, fakeTarget(t), opts)
	}
	r, stats := run("TestGreedy")
	if stats.Findings != 1 || r.findings[0].Kind != "memory" || !strings.Contains(r.findings[0].Message, "more than 128 MB of memory, under the Go scheduler, too") {
		t.Errorf("natively, too: stats %+v, findings %+v; want one of kind memory", stats, r.findings)
	}
	const says = "stopped because they used more than 128 MB of memory, the first was schedule "
	r, stats = run("TestGreedyHere")
	if stats.Findings != 0 || stats.Errors != 1 || !strings.Contains(strings.Join(r.notes, " "), "not explored further: ") || !strings.Contains(r.notes[0], "of its schedules were "+says) {
		t.Errorf("not natively: stats %+v, notes %q; want an error", stats, r.notes)
	}
	r, stats = run("TestGreedyOnce")
	if stats.Findings+stats.Errors != 0 || stats.Trials != 100 || !strings.Contains(strings.Join(r.notes, " "), "1 of its schedules were "+says+"7") {
		t.Errorf("one schedule: stats %+v, notes %q; want a note", stats, r.notes)
	}
}

// What is reported is an execution that follows its schedule, also where a fresh
// process takes steps that the exploring one did not.
func TestReportedScheduleFits(t *testing.T) {
	e := &explorer{target: fakeTarget(t), opts: fakeOptions(t, ".*")}
	const test = "TestLostFirstUse"
	w, err := startWorker(t.Context(), e.target, e.opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	warm, job := e.opts.job("TestPass"), e.opts.job(test)
	warm.Count, job.Count = 1, 100
	if _, err := w.do(t.Context(), warm); err != nil {
		t.Fatal(err)
	}
	o, err := w.do(t.Context(), job)
	if err != nil || len(o.result.Failures) != 1 {
		t.Fatal("the model does not fail", err)
	}
	found := o.result.Failures[0]
	rec, err := e.confirm(t.Context(), test, found)
	if err != nil || rec.Divergence != nil || len(rec.Decisions) != len(found.Decisions)+1 {
		t.Errorf("confirmed %v, divergence %+v, error %v; want one step more than %v", rec.Decisions, rec.Divergence, err, found.Decisions)
	}
}

// What fails because of earlier runs in its process, or of other processes, is no
// failure of the test. Its schedules are run again where there are none.
func TestDoubtfulFailures(t *testing.T) {
	for test, says := range map[string]string{
		"TestPolluted":  "(sixth trial of a process), but not again in a fresh process",
		"TestSecondRun": "(registered twice (in runner.(*fake).trial)), but only where the process had run the test before",
		"TestShared":    "but not again in a fresh process",
	} {
		t.Run(test, func(t *testing.T) {
			target, opts := fakeTarget(t), fakeOptions(t, test)
			target.Env = append(os.Environ(), "FAKE_LOCK="+filepath.Join(t.TempDir(), "lock"))
			opts.Trials, opts.Workers = 40, 4
			r, stats := explore(t, target, opts)
			if stats.Findings != 0 || stats.Errors != 0 || r.tests[0].Status != report.Pass || stats.Trials <= 40 {
				t.Errorf("stats %+v, results %+v; want no finding, and another 40 trials", stats, r.tests)
			}
			if notes := strings.Join(r.notes, "\n"); !strings.Contains(notes, says) || !strings.Contains(notes, "each of 40 schedules") {
				t.Errorf("notes %q do not say %q", notes, says)
			}
			opts.KeepGoing = true
			if r, _ := explore(t, target, opts); len(r.notes) != 1 {
				t.Errorf("with -keep-going notes %q, want one", r.notes)
			}
			opts.KeepGoing = false
			opts.Isolate, opts.Workers = true, 1
			if r, stats := explore(t, target, opts); len(r.findings)+len(r.notes) != 0 || stats.Trials != 40 {
				t.Errorf("isolated: findings %+v, notes %q, %d trials; want none, none, 40", r.findings, r.notes, stats.Trials)
			}
		})
	}
}

func TestFailureInWords(t *testing.T) {
	for want, f := range map[string]sched.Failure{
		"deadlock: no goroutine of the test can go on": {Kind: sched.FailDeadlock, Message: "deadlock: no goroutine of the test can go on"},
		"fail: n = 1, want 2":                          {Kind: sched.FailTest, Message: "n = 1, want 2"},
	} {
		if got := inWords(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A test that fails under every schedule fails in its first run, too, and is not
// explored again; nor is one that fails under some.
func TestFailuresWithoutDoubt(t *testing.T) {
	for _, test := range []string{"TestAlways", "TestLost", "TestPanic"} {
		opts := fakeOptions(t, test)
		opts.Minimise = 0
		if r, stats := explore(t, fakeTarget(t), opts); stats.Findings != 1 || !r.findings[0].Reproduced || len(r.notes) != 0 {
			t.Errorf("%s: findings %+v, notes %q; want one and none", test, r.findings, r.notes)
		}
	}
}

func TestKeepGoingReportsEveryCause(t *testing.T) {
	opts := fakeOptions(t, "TestTwoCauses")
	opts.Minimise = 0
	if r, _ := explore(t, fakeTarget(t), opts); len(r.findings) != 1 {
		t.Errorf("%d findings without KeepGoing, want 1", len(r.findings))
	}
	opts.SaveDir, opts.KeepGoing = t.TempDir(), true
	r, _ := explore(t, fakeTarget(t), opts)
	if len(r.findings) != 2 || r.findings[0].Trial > r.findings[1].Trial {
		t.Fatalf("with KeepGoing: %d findings, want 2 in ascending order", len(r.findings))
	}
	if r.findings[0].Key == r.findings[1].Key {
		t.Errorf("one cause reported twice: %q", r.findings[0].Key)
	}
}

func TestSavedScheduleIsRunFirstAndReplays(t *testing.T) {
	target, opts := fakeTarget(t), fakeOptions(t, "TestLost")
	r, _ := explore(t, target, opts)
	first := r.findings[0]
	if first.File == "" || first.Saved {
		t.Fatalf("not saved: %+v", first)
	}
	text, err := os.ReadFile(first.File)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sched.ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}

	r, stats := explore(t, target, opts)
	if len(r.findings) != 1 || !r.findings[0].Saved || stats.Trials != 0 {
		t.Errorf("second run: %d trials, findings %+v; want the saved one alone", stats.Trials, r.findings)
	}
	token, err := sched.ParseToken(first.Token)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sched.Schedule{s, token} {
		var rec recorder
		if stats, err := Replay(t.Context(), target, opts, s, "", &rec); err != nil || stats.Findings != 1 {
			t.Fatalf("replay: %+v, %v", stats, err)
		}
		if !reflect.DeepEqual(rec.findings[0].Steps, first.Steps) {
			t.Errorf("the replay took other steps")
		}
	}

	for i := range s.Decisions { // one task after the other, but for one step
		s.Decisions[i] = sched.Decision{Task: sched.TaskID(i / len(modelOps))}
	}
	s.Decisions[3].Task = 99
	var mismatch *MismatchError
	if _, err := Replay(t.Context(), target, opts, s, "", &recorder{}); !errors.As(err, &mismatch) || !strings.Contains(mismatch.Where, "step 4") {
		t.Errorf("replay of a schedule that does not fit: %v", err)
	}
	// A saved schedule that no longer fits is reported and does not stop exploration.
	b, _ := s.AppendText(nil)
	if err := os.WriteFile(first.File, b, 0o666); err != nil {
		t.Fatal(err)
	}
	r, _ = explore(t, target, opts)
	if len(r.findings) != 1 || r.findings[0].Saved || !strings.Contains(strings.Join(r.notes, " "), "no longer fits") {
		t.Errorf("after a change: findings %+v, notes %q", r.findings, r.notes)
	}
	if err := os.WriteFile(first.File, []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r, _ = explore(t, target, opts); !strings.Contains(strings.Join(r.notes, " "), "not a coop schedule") {
		t.Errorf("foreign file: notes %q", r.notes)
	}
}

func TestSetupErrors(t *testing.T) {
	var setup *SetupError
	target := fakeTarget(t)
	target.Build = "something else"
	if _, err := Explore(t.Context(), target, fakeOptions(t, ".*"), &recorder{}); !errors.As(err, &setup) || !strings.Contains(setup.Text, "not instrumented") {
		t.Errorf("wrong build: %v", err)
	}
	target = fakeTarget(t)
	target.Env = append(os.Environ(), "FAKE_EXIT=3")
	if _, err := Explore(t.Context(), target, fakeOptions(t, ".*"), &recorder{}); !errors.As(err, &setup) || setup.Code != 3 || !strings.Contains(setup.Output, "setting up failed") {
		t.Errorf("exit before the handshake: %v", err)
	}
	if _, err := Explore(t.Context(), fakeTarget(t), fakeOptions(t, "TestNone"), &recorder{}); !errors.Is(err, ErrNoTests) {
		t.Errorf("no matching test: %v", err)
	}
	target = fakeTarget(t)
	target.Binary = filepath.Join(t.TempDir(), "missing")
	if _, err := Explore(t.Context(), target, fakeOptions(t, ".*"), &recorder{}); err == nil {
		t.Error("a missing binary is no error")
	}
}

func TestErrorsOfTests(t *testing.T) {
	opts := fakeOptions(t, "TestPass")
	opts.Strategy = "nonsense"
	if r, stats := explore(t, fakeTarget(t), opts); stats.Errors != 1 || r.tests[0].Status != report.Error {
		t.Errorf("stats %+v, want an error", stats)
	}
	if r, stats := explore(t, fakeTarget(t), fakeOptions(t, "TestDiesBetween|TestPass")); stats.Errors != 1 || stats.Tests != 2 || r.tests[0].Status != report.Pass {
		t.Errorf("stats %+v, want one error and one test that passes", stats)
	}
}

func TestBudgetLimitsTime(t *testing.T) {
	opts := fakeOptions(t, "TestPass|TestRecycle")
	opts.Trials, opts.Budget = 0, 300*time.Millisecond
	began := time.Now()
	_, stats := explore(t, fakeTarget(t), opts)
	if d := time.Since(began); d < 600*time.Millisecond || d > 10*time.Second {
		t.Errorf("two tests of 300ms took %v", d)
	}
	if stats.Trials < 100 {
		t.Errorf("only %d trials", stats.Trials)
	}
}

func TestInterruptKeepsFindings(t *testing.T) {
	opts := fakeOptions(t, "TestLost|TestSkip")
	opts.Trials = 1 << 30
	opts.Hang = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	r := &interrupter{cancel: cancel}
	began := time.Now()
	_, err := Explore(ctx, fakeTarget(t), opts, r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	if len(r.findings) != 1 || len(r.tests) != 2 {
		t.Errorf("%d findings, %d tests; want those of before the interrupt", len(r.findings), len(r.tests))
	}
	if time.Since(began) > 30*time.Second {
		t.Errorf("stopping took %v", time.Since(began))
	}
}

// interrupter cancels the run when it hears of the first result.
type interrupter struct {
	recorder
	cancel context.CancelFunc
}

func (r *interrupter) Handle(e report.Event) {
	r.recorder.Handle(e)
	if _, ok := e.(report.TestResult); ok {
		r.cancel()
	}
}
