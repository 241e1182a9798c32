package conductor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/coopvet/coop/runner/conductor/probe"
	"github.com/coopvet/coop/runner/detect"
	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// Test is a test that a worker can run.
type Test struct {
	sched.TestInfo
	// Start prepares a run of the test. Its goroutine becomes the root task of a trial, with
	// the goroutines that it starts as tasks, and may end in runtime.Goexit.
	Start func(*Outcome) Run
}

// Run is one run of a test. Nothing of ours is on the stack of its goroutine, since
// tests look at their callers.
type Run struct {
	Go   func() // starts it, by a go statement and nothing else
	Wait func() // returns when it has ended, without control
	End  func() // completes the Outcome, once it has ended

	// What the program is to see of stacks, as return addresses.
	Callers []uintptr // below the function of the goroutine; nil: only that
	Main    []uintptr // of the process's main goroutine; nil: the run's goroutine is it
	Starter uintptr   // the call that has started the goroutine; 0: it is the main goroutine
}

// Outcome is what a test says of itself.
type Outcome struct {
	Failed  bool
	Skipped bool
	Output  func() string // the test's log
	Cause   string        // the entry of the log that says what failed first; "" if none is known
}

// Function is a run of f.
func Function(f func()) Run {
	done := make(chan bool)
	body := func() {
		defer close(done)
		f()
	}
	return Run{Go: func() { go body() }, Wait: func() { <-done }, End: func() {}}
}

// Requested reports whether the parent wants this process to be a worker.
func Requested() bool { return os.Getenv(sched.EnvWorker) != "" }

// init makes a program without tests a worker: one trial is one run of its main.
func init() {
	if Requested() && os.Getenv(sched.EnvMain) != "" {
		setMain(func(main func()) {
			pcs := make([]uintptr, 8)
			below := pcs[:runtime.Callers(1, pcs)] // from runtime.main on, the others are hidden
			test := Test{TestInfo: sched.TestInfo{Name: "main", Kind: "main"}, Start: func(*Outcome) Run {
				r := Function(main)
				r.Callers = below
				return r
			}}
			if err := Serve([]Test{test}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(3)
			}
		})
	}
}

// Resources of a worker.
const (
	collectAfter = 4 << 20   // bytes of heap growth after which it collects garbage between trials, more if much is
	collectMost  = 64 << 20  // live, but at most that: memory that is in the processor's cache is faster
	memoryLimit  = 384 << 20 // bytes of memory above which it collects within a trial, too
	recycleHeap  = 192 << 20 // bytes of live heap after a collection,
	recycleLeft  = 10_000    // and number of left-over goroutines, that end it
)

// worker is the process's side of the conversation with the parent.
type worker struct {
	jobs    *bufio.Reader
	results *os.File
	tests   map[string]*Test
	started bool // the process is under control
	live    uint64
	seen    map[uint64]bool
	seenOf  string
	warm    string // the test that has been warmed up
	learnt  learnt
	search  searched
	claims  claims
}

// Serve talks to the parent until it hangs up or the worker must be replaced. It is
// called on the main goroutine, outside any test.
func Serve(tests []Test) error {
	w := &worker{tests: map[string]*Test{}}
	hello := sched.Hello{Protocol: sched.Protocol, Build: sched.BuildID(probe.Registered()), Go: runtime.Version()}
	for i := range tests {
		w.tests[tests[i].Name] = &tests[i]
		hello.Tests = append(hello.Tests, tests[i].TestInfo)
	}
	if err := w.open(os.Getenv(sched.EnvWorker)); err != nil {
		return fmt.Errorf("coop: cannot talk to cooprun: %w", err)
	}
	if err := w.send(&hello); err != nil {
		return err
	}
	for {
		line, err := w.jobs.ReadBytes('\n')
		if err != nil {
			return nil // the parent has hung up
		}
		var job sched.Job
		if err := json.Unmarshal(line, &job); err != nil {
			return err
		}
		result := w.do(&job)
		if err := w.send(result); err != nil || result.Recycle {
			return err
		}
	}
}

// open takes over the inherited files.
func (w *worker) open(spec string) error {
	var fds [3]int
	for i, f := range strings.SplitN(spec, ",", 3) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return err
		}
		fds[i] = n
		syscall.CloseOnExec(n) // the test's own child processes must not hold the pipes open
	}
	restoreEnv() // nor take themselves for workers
	the.loopback = openLoopback()
	w.jobs = bufio.NewReader(os.NewFile(uintptr(fds[0]), "jobs"))
	w.results = os.NewFile(uintptr(fds[1]), "results")
	page, err := syscall.Mmap(fds[2], 0, sched.StatusSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	the.status = (*[sched.StatusWords]uint64)(unsafe.Pointer(&page[0]))
	rest := page[8*sched.StatusWords:]
	the.decisions = unsafe.Slice((*sched.TaskID)(unsafe.Pointer(&rest[0])), len(rest)/4)
	return nil
}

// restoreEnv makes the environment what it is under go test.
func restoreEnv() {
	os.Unsetenv(sched.EnvWorker)
	os.Unsetenv(sched.EnvMain)
	os.Unsetenv(sched.EnvGOROOT) // the runtime has taken note of it
	for _, name := range []string{"GOMAXPROCS", "GOMEMLIMIT"} {
		original, set := os.LookupEnv(sched.EnvOriginal + name)
		os.Unsetenv(sched.EnvOriginal + name)
		os.Unsetenv(name)
		if set {
			os.Setenv(name, original)
		}
	}
}

func (w *worker) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.results.Write(append(b, '\n'))
	return err
}

// start puts the process under control, once.
func (w *worker) start() {
	if w.started {
		return
	}
	w.started = true
	the.sites.init()
	the.starts = map[uintptr]bool{}
	startMono = nanotime()
	runtime.GC() // starts the collector's goroutines outside any trial
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	w.live = heapBytes()
	for range 100 {
		runtime.Gosched() // goroutines of the program's initialisation come to rest
	}
	held = heldGs()
	enable(onOperation)
	setWaits(the.waitsFor)
	probe.Hook = onAccess
}

// do runs the trials of a job.
func (w *worker) do(job *sched.Job) *sched.Result {
	r := &sched.Result{}
	test := w.tests[job.Test]
	if test == nil {
		r.Error = fmt.Sprintf("no test %q in this binary", job.Test)
		return r
	}
	c := &the
	s, err := w.strategy(job)
	switch {
	case err != nil:
		r.Error = err.Error()
		return r
	case s == nil && job.Replay == nil:
		w.native(job, test, r)
		return r
	}
	w.start()
	c.strategy = s
	c.listeners = [sched.NumEvents][]sched.Listener{}
	c.rec = nil
	setTracing(job.Trace)
	if job.Race {
		c.listen(new(detect.Race))
	}
	if err := w.audit(job); err != nil {
		r.Error = err.Error()
		return r
	}
	if job.Trace {
		c.rec = newRecorder(c)
		c.listen(c.rec)
	}
	if l, ok := s.(sched.Listener); ok {
		c.listen(l)
	}
	c.orders = nil
	if job.Orders {
		c.orders = newOrders(c)
		c.listen(c.orders)
	}
	c.leakOracle = job.Leak
	c.leaks.reset(job.Replay != nil || job.Trace || job.Search)
	c.clockRace = job.Clock == "race"
	c.program = test.Kind == "main"
	c.strict = job.Strict
	if w.seenOf != job.Test || w.seen == nil {
		w.seenOf, w.seen = job.Test, map[uint64]bool{}
	}
	w.trials(job, test, r)
	if c.orders != nil {
		r.Orders = &c.orders.result
	}
	r.HeapBytes = heapBytes()
	return r
}

// trials is the loop over the trials of a job.
func (w *worker) trials(job *sched.Job, test *Test, r *sched.Result) {
	c := &the
	b := batch{worker: w, job: job, result: r, keys: map[string]bool{}}
	b.start = func() Run { return test.Start(&c.outcome) }
	count := job.Count
	if job.Replay != nil {
		count = len(job.Replay)
	}
	begun := nanotime()
	if w.warm != job.Test && !job.Cold {
		w.warm = job.Test
		if !b.warmUp() {
			return
		}
	}
	b.catchUp()
	clear(c.leaks.known) // what has been caught up is not reported
	searcher, _ := c.strategy.(sched.Searcher)
	if searcher != nil {
		r.Search = new(sched.Search)
	}
	before := calls
	drawn = false
	for i := range count {
		trial := job.First + i
		seed := sched.TrialSeed(job.Seed, job.Test, trial)
		if searcher != nil {
			if searcher.Exhausted() {
				break
			}
			seed = sched.TrialSeed(job.Seed, job.Test, w.search.seeds)
		}
		if job.Replay != nil {
			c.strategy = &strategy.Replay{Replay: job.Replay[i]}
			seed = job.Replay[i].Seed
		}
		b.run(trial, trial, seed, job.MaxSteps)
		if c.strategy == w.learnt.s {
			w.learnt.next = trial + 1
		}
		if !b.note(trial, seed) {
			break
		}
		if w.collect() || c.unfinished || c.failure != nil && c.insideLibrary() { // who was cut off may hold what later trials need
			r.Recycle = true
			break
		}
		if job.MaxNanos > 0 && nanotime()-begun > job.MaxNanos {
			r.TimedOut = r.Trials < count
			break
		}
		if searcher != nil && searcher.Exhausted() && !w.search.again(trial) {
			break
		}
	}
	if searcher != nil {
		w.search.io = w.search.io || calls != before
		r.Search = w.searched(searcher)
	}
	r.Skipped = r.Trials > 0 && b.skipped == r.Trials
	if c.foreign > 0 {
		r.Notes = append(r.Notes, "the test uses goroutines that were started before it: their state carries over from trial to trial")
	}
}

// batch is the work on one job.
type batch struct {
	worker  *worker
	job     *sched.Job
	result  *sched.Result
	start   func() Run
	keys    map[string]bool // of the failures in result
	skipped int
}

// run performs one trial under the conductor's strategy. If the process dies, it is
// taken for trial blame.
func (b *batch) run(trial, blame int, seed uint64, maxSteps int) {
	c := &the
	c.status[sched.StatusTrial] = uint64(blame)
	c.status[sched.StatusDecisions] = 0
	c.status[sched.StatusBeat]++
	c.status[sched.StatusState] = sched.StateTrial
	before := b.worker.cycles()
	c.trial(b.start, trial, seed, maxSteps)
	b.audited(trial, seed, before)
	c.status[sched.StatusState] = sched.StateIdle
}

// warmUp runs the test once, each task as long as it can go on. It is no trial, but if
// it fails it takes the place of the first. It reports whether the job goes on.
func (b *batch) warmUp() bool {
	const budget = 1 << 20
	c := &the
	s, listeners, audit := c.strategy, c.listeners, c.audit
	c.audit = nil
	if _, learns := s.(sched.Learner); !learns {
		c.strategy = &strategy.Replay{Replay: sched.Replay{Loose: true}}
	}
	c.listeners = [sched.NumEvents][]sched.Listener{} // an oracle would end it early
	if c.rec != nil {
		c.listen(c.rec)
	}
	seed := sched.TrialSeed(0, b.job.Test, sched.PilotTrial)
	b.run(sched.PilotTrial, b.job.First, seed, budget)
	goOn := c.failure == nil || c.failure.Kind == sched.FailLivelock
	if !goOn {
		if goOn = b.note(b.job.First, seed); goOn {
			b.result.Trials-- // all trials of the job follow
		}
	}
	c.strategy, c.listeners, c.audit = s, listeners, audit
	return goOn
}

// note enters the trial that has just ended into the result. It reports whether the job
// goes on.
func (b *batch) note(trial int, seed uint64) bool {
	c, r, w := &the, b.result, b.worker
	r.Trials++
	r.Steps += int64(c.steps)
	b.tellBudget()
	if c.outcome.Skipped {
		b.skipped++
	}
	if r.Search == nil && len(w.seen) < maxDistinct && !w.seen[c.hash] {
		w.seen[c.hash] = true
		r.Distinct = append(r.Distinct, c.hash)
	}
	if c.orders != nil {
		c.orders.count(trial)
	}
	replayed, _ := c.strategy.(*strategy.Replay)
	if b.job.Trace || replayed != nil && c.failure != nil {
		r.Last = w.record(trial, seed, replayed)
	}
	if c.failure != nil && !b.keys[c.failure.Key] {
		b.keys[c.failure.Key] = true
		r.Failures = append(r.Failures, *w.record(trial, seed, replayed))
	}
	return c.failure == nil || b.job.KeepOn
}

// tellBudget says in the result what became of a trial that has spent its step budget.
func (b *batch) tellBudget() {
	var note string
	steps := b.job.MaxSteps
	switch c := &the; {
	case c.unfinished:
		if c.steps >= maxExtension*steps {
			steps *= maxExtension
		}
		note = fmt.Sprintf("schedules were cut off after %d steps, before the test had ended; -maxsteps sets the limit", steps)
	case c.onward:
		note = fmt.Sprintf("schedules went on to the end of the test without further choices after %d steps; -maxsteps sets the limit", steps)
	default:
		return
	}
	if r := b.result; !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes, note)
	}
}

// maxDistinct bounds the number of trace hashes that a worker remembers of one test.
const maxDistinct = 1 << 17

// record writes down the trial that has just ended.
func (w *worker) record(trial int, seed uint64, replayed *strategy.Replay) *sched.TrialRecord {
	c := &the
	n := min(c.steps, len(c.decisions))
	rec := &sched.TrialRecord{
		Trial: trial, Seed: seed, Hash: c.hash, Failure: c.failure,
		Decisions: slices.Concat(c.decisions[:n], c.further),
		Choices:   append([]sched.Choice(nil), c.choices...),
	}
	if replayed != nil {
		rec.Divergence = replayed.Divergence
		if rec.Divergence == nil && !replayed.Loose && !replayed.Complete() {
			rec.Divergence = &sched.Divergence{Step: c.steps, Reason: "the test ended before the schedule did"}
		}
	}
	if c.rec != nil {
		rec.Tasks = c.taskInfos()
		rec.Steps = c.rec.steps
		if c.rec.omitted > 0 {
			rec.Omitted, rec.OmittedAt = c.rec.omitted, keepFirst
		}
		if c.outcome.Output != nil {
			rec.Output = c.outcome.Output()
		}
	}
	return rec
}

// collect collects garbage between trials, when there is enough of it. It reports
// whether the process should be replaced.
func (w *worker) collect() bool {
	if the.left > recycleLeft {
		return true
	}
	if heapBytes() < w.live+min(max(collectAfter, 4*w.live), collectMost) {
		return false
	}
	the.status[sched.StatusState] = sched.StateGC
	runtime.GC()
	w.live = heapBytes()
	if the.audit == nil {
		debug.SetMemoryLimit(max(memoryLimit, 2*int64(w.live)))
	}
	for range 10 {
		runtime.Gosched() // finalizers run now, not beside a trial
	}
	return w.live > recycleHeap
}
