package runner

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// fakeBuild is the build ID of the fake worker.
const fakeBuild = "fake build"

// TestMain turns the test binary into a fake worker, which speaks the protocol but runs
// model programs instead of goroutines.
func TestMain(m *testing.M) {
	if os.Getenv(sched.EnvWorker) == "" {
		os.Exit(m.Run())
	}
	if code := os.Getenv("FAKE_EXIT"); code != "" {
		fmt.Println("setting up failed")
		os.Exit(int(code[0] - '0'))
	}
	f := &fake{jobs: os.NewFile(3, "jobs"), results: os.NewFile(4, "results"), polluted: -1}
	var err error
	if f.page, err = syscall.Mmap(5, 0, sched.StatusSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		panic(err)
	}
	f.serve()
}

// fakeTests are the tests of the fake worker, in "source order".
var fakeTests = []string{"TestPass", "TestLost", "TestLost2", "TestPanic", "TestFatal", "TestExit", "TestHang", "TestGreedy", "TestGreedyHere", "TestGreedyOnce", "TestPolluted", "TestTwoCauses", "TestRecycle", "TestSkip", "TestDiesBetween", "TestLostFirstUse", "TestSecondRun", "TestShared", "TestAlways"}

type fake struct {
	jobs, results *os.File
	page          []byte
	ran           int // trials of this process
	polluted      int
}

func (f *fake) serve() {
	hello := sched.Hello{Protocol: sched.Protocol, Build: fakeBuild, Go: "go1.26"}
	if b := os.Getenv("FAKE_BUILD"); b != "" {
		hello.Build = b
	}
	for _, name := range fakeTests {
		hello.Tests = append(hello.Tests, sched.TestInfo{Name: name, Kind: "test"})
	}
	f.send(hello)
	r := bufio.NewReader(f.jobs)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var job sched.Job
		if err := json.Unmarshal(line, &job); err != nil {
			panic(err)
		}
		res := f.run(&job)
		f.send(res)
		if res.Recycle {
			os.Exit(0)
		}
	}
}

func (f *fake) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	f.results.Write(append(b, '\n'))
}

func (f *fake) set(word int, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&f.page[8*word])), v)
}

// run runs the trials of a job.
func (f *fake) run(job *sched.Job) *sched.Result {
	res := &sched.Result{Skipped: job.Test == "TestSkip"}
	if job.Strategy == "nonsense" {
		res.Error = `unknown strategy "nonsense"`
		return res
	}
	for i := range job.Trials() {
		if job.Test == "TestRecycle" && f.ran == 10 {
			res.Recycle = true
			return res
		}
		if job.Test == "TestDiesBetween" {
			os.Exit(9)
		}
		trial := job.First + i
		p := newModel(job, i)
		p.waits = job.Test == "TestLostFirstUse"
		p.first = p.waits && f.ran == 0
		f.set(sched.StatusTrial, uint64(trial))
		f.set(sched.StatusDecisions, 0)
		f.set(sched.StatusState, sched.StateTrial)
		failure := f.trial(job, trial, p)
		f.set(sched.StatusState, sched.StateIdle)
		f.ran++
		res.Trials++
		res.Steps += int64(len(p.decisions))
		res.Distinct = append(res.Distinct, sched.Mix(uint64(trial)%100))
		rec := sched.TrialRecord{Trial: trial, Seed: p.seed, Decisions: p.decisions, Failure: failure, Divergence: p.divergence}
		if job.Trace {
			rec.Tasks, rec.Steps = p.tasks(), p.steps
			last := rec
			res.Last = &last
		}
		if failure != nil {
			seen := slices.ContainsFunc(res.Failures, func(r sched.TrialRecord) bool { return r.Failure.Key == failure.Key })
			if !seen {
				res.Failures = append(res.Failures, rec)
			}
			if !job.KeepOn {
				break
			}
		}
	}
	return res
}

// trial runs one trial of a model test.
func (f *fake) trial(job *sched.Job, trial int, p *model) *sched.Failure {
	for step := 0; p.step(); step++ {
		f.set(sched.StatusBeat, uint64(f.ran<<20+step))
		n := len(p.decisions)
		binary.NativeEndian.PutUint32(f.page[8*sched.StatusWords+4*(n-1):], uint32(p.decisions[n-1]))
		f.set(sched.StatusDecisions, uint64(n))
		if n == job.MaxSteps && n < len(modelOps)*len(p.pos) {
			return &sched.Failure{Kind: sched.FailLivelock, Key: "livelock", Tasks: p.states()}
		}
	}
	fails := p.lost()
	switch {
	case job.Test == "TestPolluted":
		if f.polluted++; f.polluted == 5 {
			return &sched.Failure{Kind: sched.FailTest, Key: "polluted", Message: "sixth trial of a process"}
		}
	case job.Test == "TestSecondRun" && (f.ran > 0 || !job.Cold): // the warm-up is a run, too
		panic("registered twice")
	case job.Test == "TestAlways":
		return &sched.Failure{Kind: sched.FailTest, Key: "always", Message: "it always fails"}
	case job.Test == "TestShared":
		return shared()
	case job.Test == "TestTwoCauses" && p.seed%7 == 0:
		return &sched.Failure{Kind: sched.FailTest, Key: "seven", Message: "seven"}
	case job.Test == "TestTwoCauses" && p.seed%50 == 1:
		panic("fifty")
	case job.Test == "TestGreedy", job.Test == "TestGreedyHere" && job.Strategy != "none", job.Test == "TestGreedyOnce" && trial == 7:
		for keep := [][]byte(nil); ; keep = append(keep, bytes.Repeat([]byte{1}, 1<<20)) {
			_ = keep
		}
	case !fails:
	case strings.HasPrefix(job.Test, "TestLost"):
		return &sched.Failure{Kind: sched.FailTest, Key: "lost", Message: "an update is lost",
			Tasks: []sched.TaskState{{Task: 1, State: "racing", OpStr: "read", HeldBy: sched.NoTask}}}
	case job.Test == "TestPanic":
		panic(fmt.Sprint("lost at ", time.Now().UnixNano()))
	case job.Test == "TestFatal":
		new(sync.Mutex).Unlock()
	case job.Test == "TestExit":
		fmt.Fprintln(os.Stderr, "cannot go on")
		os.Exit(1)
	case job.Test == "TestHang":
		time.Sleep(time.Hour)
	}
	return nil
}

// shared fails if another process is in it.
func shared() *sched.Failure {
	lock := os.Getenv("FAKE_LOCK")
	if err := os.Mkdir(lock, 0o777); err != nil {
		return &sched.Failure{Kind: sched.FailTest, Key: "in use", Message: err.Error()}
	}
	time.Sleep(5 * time.Millisecond)
	os.Remove(lock)
	return nil
}

// model is three tasks that each read a counter, do something else, and write it back
// incremented.
type model struct {
	seed       uint64
	first      bool // something is used for the first time: task 0 takes one more step
	waits      bool // task 2 ends with a step that waits for the others
	rand       sched.Rand
	replay     *sched.Replay
	pos        [3]int
	local      [3]int
	counter    int
	last       sched.TaskID
	decisions  []sched.TaskID
	steps      []sched.Step
	divergence *sched.Divergence
}

var modelOps = []string{"lock", "read", "unlock", "lock", "write", "unlock"}

func newModel(job *sched.Job, i int) *model {
	p := &model{seed: sched.TrialSeed(job.Seed, job.Test, job.First+i)}
	if len(job.Replay) > 0 {
		p.replay, p.seed = &job.Replay[i], job.Replay[i].Seed
	}
	p.rand = sched.NewRand(p.seed)
	return p
}

// ops returns the operations of a task.
func (p *model) ops(task int) []string {
	switch {
	case p.first && task == 0:
		return append(slices.Clone(modelOps), "once")
	case p.waits && task == 2:
		return append(slices.Clone(modelOps), "wg-wait")
	}
	return modelOps
}

// enabled reports whether a task can take a step.
func (p *model) enabled(task int) bool {
	ops := p.ops(task)
	return p.pos[task] < len(ops) &&
		(ops[p.pos[task]] != "wg-wait" || p.pos[0] == len(p.ops(0)) && p.pos[1] == len(p.ops(1)))
}

// step performs one step; false when all tasks are done.
func (p *model) step() bool {
	var enabled []sched.TaskID
	for i := range p.pos {
		if p.enabled(i) {
			enabled = append(enabled, sched.TaskID(i))
		}
	}
	if len(enabled) == 0 {
		return false
	}
	t := enabled[p.rand.IntN(len(enabled))]
	if p.replay != nil {
		n := len(p.decisions)
		t = sched.NoTask
		if n < len(p.replay.Decisions) {
			t = p.replay.Decisions[n]
		}
		if !slices.Contains(enabled, t) {
			if !p.replay.Loose && p.divergence == nil && (t != sched.NoTask || n < len(p.replay.Decisions)) {
				p.divergence = &sched.Divergence{Step: n, Reason: fmt.Sprintf("task %d is not enabled", t)}
			}
			if t = p.last; !slices.Contains(enabled, t) {
				t = enabled[0]
			}
		}
	}
	op := p.ops(int(t))[p.pos[t]]
	p.steps = append(p.steps, sched.Step{Task: t, Kind: op, Object: "mutex 1", Enabled: len(enabled), Site: sched.Position{File: "model.go", Line: p.pos[t] + 1}})
	p.decisions = append(p.decisions, t)
	p.last = t
	switch op {
	case "read":
		p.local[t] = p.counter
	case "write":
		p.counter = p.local[t] + 1
	}
	p.pos[t]++
	return true
}

func (p *model) lost() bool { return p.counter < len(p.pos) }

// states says what the tasks are about to do.
func (p *model) states() []sched.TaskState {
	var out []sched.TaskState
	for i, pos := range p.pos {
		if pos < len(modelOps) {
			out = append(out, sched.TaskState{Task: sched.TaskID(i), State: "enabled", OpStr: modelOps[pos], Object: "mutex 1"})
		}
	}
	return out
}

func (p *model) tasks() []sched.TaskInfo {
	return []sched.TaskInfo{{ID: 0, Name: "main"}, {ID: 1, Name: "1"}, {ID: 2, Name: "2"}}
}
