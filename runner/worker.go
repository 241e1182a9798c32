package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// SetupError says that a test binary cannot be used as a worker: it ended before the
// first trial, or it is not the binary that was built.
type SetupError struct {
	Text   string // one sentence
	Output string // what the binary printed
	Code   int    // its exit code; -1 if it did not exit by itself
}

func (e *SetupError) Error() string { return e.Text }

// worker is one process of the target. It serves one job at a time.
type worker struct {
	cmd     *exec.Cmd
	jobs    *os.File
	lines   chan []byte // what the worker sends; closed when it dies
	status  *statusPage
	out     tail // standard output
	errs    tail // standard error
	hello   sched.Hello
	roots   []string      // see Target
	memory  int64         // limit of resident memory
	hang    time.Duration // limit of one step
	killed  string        // why the parent killed it: "", causeHang, causeMemory
	exited  chan struct{} // closed when the process has been waited for
	waitErr error
}

// Why the parent killed a worker.
const (
	causeHang   = "hang"
	causeMemory = "memory"
)

const (
	pollInterval   = 20 * time.Millisecond
	memoryInterval = 100 * time.Millisecond
	drainDelay     = 200 * time.Millisecond // for reading what a dead worker has written
	stacksDelay    = 2 * time.Second        // for printing stacks after SIGQUIT
	outputLimit    = 1 << 20
	softMemory     = "400MiB"    // GOMEMLIMIT of a worker: the collector's net below the recycling
	slowFactor     = 6           // real input/output and set-up may take this many times longer than a step
	minHandshake   = time.Minute // TestMain may do real work
)

// startWorker starts the target and waits for its Hello.
func startWorker(ctx context.Context, t *Target, opts *Options) (*worker, error) {
	w := &worker{
		lines: make(chan []byte), exited: make(chan struct{}),
		out: tail{max: outputLimit}, errs: tail{max: outputLimit}, roots: t.Roots, memory: opts.Memory, hang: opts.Hang,
	}
	if err := w.start(t, opts); err != nil {
		return nil, err
	}
	if err := w.handshake(ctx, t); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// start starts the process with its three files.
func (w *worker) start(t *Target, opts *Options) error {
	status, err := newStatusPage()
	if err != nil {
		return err
	}
	jobsR, jobsW, err := os.Pipe()
	if err != nil {
		status.close()
		return err
	}
	defer jobsR.Close()
	resultsR, resultsW, err := os.Pipe()
	if err != nil {
		status.close()
		jobsW.Close()
		return err
	}
	defer resultsW.Close()

	cmd := exec.Command(t.Binary, t.Args...)
	cmd.Dir = t.Dir
	cmd.Env = workerEnv(t)
	cmd.ExtraFiles = []*os.File{jobsR, resultsW, status.file}
	cmd.Stdout, cmd.Stderr = &w.out, &w.errs
	cmd.WaitDelay = time.Second // a grandchild may keep the output open
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		status.close()
		jobsW.Close()
		resultsR.Close()
		return fmt.Errorf("cannot start the test binary: %w", err)
	}
	w.cmd, w.jobs, w.status = cmd, jobsW, status
	go func() {
		r := bufio.NewReaderSize(resultsR, 1<<16)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil { // an incomplete line is worthless
				break
			}
			w.lines <- line
		}
		resultsR.Close()
		close(w.lines)
	}()
	go func() {
		w.waitErr = cmd.Wait()
		close(w.exited)
	}()
	return nil
}

func (w *worker) handshake(ctx context.Context, t *Target) error {
	timeout := time.NewTimer(max(slowFactor*w.hang, minHandshake))
	defer timeout.Stop()
	// A binary without a conductor runs its tests and exits; it never writes a line.
	select {
	case line, ok := <-w.lines:
		if !ok {
			<-w.exited
			code := w.cmd.ProcessState.ExitCode()
			return &SetupError{
				Text:   fmt.Sprintf("the test binary exited (%s) before it ran a test", w.cmd.ProcessState),
				Output: w.output(), Code: code,
			}
		}
		if err := json.Unmarshal(line, &w.hello); err != nil {
			return fmt.Errorf("worker said %.200q: %w", line, err)
		}
	case <-timeout.C:
		return &SetupError{Text: "the test binary did not begin to run tests in time: does TestMain block?", Output: w.stacks(), Code: -1}
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.hello.Protocol != sched.Protocol {
		return fmt.Errorf("worker speaks protocol %d, not %d", w.hello.Protocol, sched.Protocol)
	}
	if w.hello.Build != t.Build {
		return &SetupError{Code: -1, Text: fmt.Sprintf(
			"the test binary is not instrumented (build %q instead of %q): does GOFLAGS or a wrapper of the go command change the build?",
			w.hello.Build, t.Build)}
	}
	return nil
}

// outcome is what came of a job.
type outcome struct {
	result sched.Result
	death  *death // the worker died before it answered
}

// do hands job to the worker and waits for the answer or the worker's death. The
// error is non-nil if ctx ends.
func (w *worker) do(ctx context.Context, job *sched.Job) (outcome, error) {
	var o outcome
	line, err := json.Marshal(job)
	if err != nil {
		return o, err
	}
	w.out.Reset()
	w.errs.Reset()
	// A worker that has died does not read; its death is noticed below. A long job may
	// exceed the pipe's capacity, hence the goroutine.
	go w.jobs.Write(append(line, '\n'))

	watch := newWatchdog(w)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	exited := w.exited
	var drained <-chan time.Time // a grandchild may keep the pipe open
	for {
		select {
		case <-exited:
			exited, drained = nil, time.After(drainDelay)
		case <-drained:
			o.death = w.autopsy(job)
			return o, ctx.Err()
		case line, ok := <-w.lines:
			if !ok {
				<-w.exited
				o.death = w.autopsy(job)
				return o, ctx.Err()
			}
			if err := json.Unmarshal(line, &o.result); err != nil {
				return o, fmt.Errorf("worker said %.200q: %w", line, err)
			}
			return o, nil
		case <-tick.C:
			if w.killed = watch.check(time.Now()); w.killed == causeHang {
				w.stacks()
			} else if w.killed != "" {
				killGroup(w.cmd)
			} else {
				continue
			}
			<-w.exited
			o.death = w.autopsy(job)
			return o, ctx.Err()
		case <-ctx.Done():
			return o, ctx.Err()
		}
	}
}

// watchdog looks at a worker from outside.
type watchdog struct {
	w          *worker
	beat       uint64
	beatAt     time.Time
	nextMemory time.Time
}

func newWatchdog(w *worker) *watchdog {
	return &watchdog{w: w, beat: w.status.word(sched.StatusBeat), beatAt: time.Now()}
}

// check returns why the worker has to be killed, if it has.
func (d *watchdog) check(now time.Time) string {
	if beat := d.w.status.word(sched.StatusBeat); beat != d.beat {
		d.beat, d.beatAt = beat, now
	}
	limit := d.w.hang
	if d.w.status.word(sched.StatusState) != sched.StateTrial {
		limit *= slowFactor
	}
	if limit > 0 && now.Sub(d.beatAt) > limit {
		return causeHang
	}
	if d.w.memory > 0 && now.After(d.nextMemory) {
		d.nextMemory = now.Add(memoryInterval)
		if residentMemory(d.w.cmd.Process.Pid) > d.w.memory {
			return causeMemory
		}
	}
	return ""
}

// residentMemory returns the bytes of physical memory that a process uses; 0 where
// the system does not tell (other than Linux).
func residentMemory(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// stacks makes the worker print its goroutines, kills it, and returns its output.
func (w *worker) stacks() string {
	askForStacks(w.cmd)
	select {
	case <-w.exited:
	case <-time.After(stacksDelay):
	}
	killGroup(w.cmd)
	return w.output()
}

// output returns the end of what the worker printed.
func (w *worker) output() string {
	s := w.out.String()
	if s != "" && s[len(s)-1] != '\n' {
		s += "\n"
	}
	return s + w.errs.String()
}

// close ends the worker and everything that it started.
func (w *worker) close() {
	w.jobs.Close()
	killGroup(w.cmd)
	go func() {
		for range w.lines {
		}
	}()
	<-w.exited
	w.status.close()
}

// retire lets the worker end by itself, as it does when its jobs end, so that
// TestMain's clean-up runs; it is killed if that takes long.
func (w *worker) retire() {
	w.jobs.Close()
	select {
	case <-w.exited:
	case <-time.After(stacksDelay):
	}
	w.close()
}

// workerEnv returns the environment of a worker of t. The test sees its own settings of
// the runtime, not those that make the process a worker.
func workerEnv(t *Target) []string {
	env := slices.Clone(t.Env)
	if t.Env == nil {
		env = os.Environ()
	}
	own := map[string]string{"GOMAXPROCS": "1", "GOMEMLIMIT": softMemory}
	for _, kv := range slices.Clone(env) {
		if name, value, _ := strings.Cut(kv, "="); own[name] != "" {
			env = append(env, sched.EnvOriginal+name+"="+value)
		}
	}
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	env = append(env, "PWD="+t.Dir, sched.EnvWorker+"=3,4,5")
	if t.Main {
		env = append(env, sched.EnvMain+"=1")
	}
	return env
}
