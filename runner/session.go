package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/coopvet/coop/runner/sched"
)

// A Session runs jobs of the caller's own making, one after the other: for tests and
// tools that want to know what a trial was (its trace hash, its decisions, every step)
// where Explore tells what was found. It keeps one worker process, which it replaces
// when that has died or is full.
type Session struct {
	target *Target
	opts   *Options
	worker *worker // nil: the next job starts one
}

// NewSession returns a session without a process. Of opts it uses the limits of a
// worker, Hang and Memory.
func NewSession(target *Target, opts *Options) *Session {
	return &Session{target: target, opts: opts}
}

// Tests lists what the target can run.
func (s *Session) Tests(ctx context.Context) ([]sched.TestInfo, error) {
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s.worker.hello.Tests, nil
}

// start starts a worker if there is none.
func (s *Session) start(ctx context.Context) (err error) {
	if s.worker == nil {
		s.worker, err = startWorker(ctx, s.target, s.opts)
	}
	return err
}

// Do runs job. When a trial ends the process (a panic, a fatal error, os.Exit, a hang)
// the result is that trial alone, with its decisions if the job is traced.
func (s *Session) Do(ctx context.Context, job *sched.Job) (*sched.Result, error) {
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	o, err := s.worker.do(ctx, job)
	if err != nil || o.death != nil || o.result.Recycle {
		s.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case o.death != nil && !o.death.inTrial:
		return nil, fmt.Errorf("the test binary ended outside a schedule: %s", o.death.failure.Message)
	case o.death != nil:
		last, err := o.trial()
		return &sched.Result{Trials: 1, Failures: []sched.TrialRecord{last}, Last: &last}, err
	case o.result.Error != "":
		return nil, errors.New(o.result.Error)
	}
	return &o.result, nil
}

// Close ends the process, if there is one. The next job starts another.
func (s *Session) Close() {
	if s.worker != nil {
		s.worker.close()
		s.worker = nil
	}
}
