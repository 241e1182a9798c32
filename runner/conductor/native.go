package conductor

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/coopvet/coop/runner/conductor/probe"
	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// native runs trials without control, under the native scheduler.
func (w *worker) native(job *sched.Job, test *Test, r *sched.Result) {
	if w.started {
		r.Error = "strategies without control need a process of their own"
		return
	}
	setNative(runtime.NumCPU())
	if p, ok := strategy.Noise(job.Strategy, strategy.Options{Switch: job.Switch}); ok {
		makeNoise(p)
		probe.On = true
		defer func() { probe.On = false }()
	}
	for i := range job.Count {
		the.status[sched.StatusTrial] = uint64(job.First + i)
		the.status[sched.StatusBeat]++
		the.status[sched.StatusState] = sched.StateTrial
		var o Outcome
		run := test.Start(&o)
		run.Go()
		run.Wait()
		run.End()
		the.status[sched.StatusState] = sched.StateIdle
		r.Trials++
		if o.Failed {
			f := &sched.Failure{Kind: sched.FailTest, Message: cause(&o, o.Output()), Output: o.Output(), Key: "fail"}
			r.Failures = append(r.Failures, sched.TrialRecord{Trial: job.First + i, Failure: f})
			if !job.KeepOn {
				return
			}
		}
	}
}

// makeNoise disturbs the native scheduler before visible operations, with probability p
// each, by a yield or a short sleep: O. Edelstein, E. Farchi, E. Goldin, Y. Nir, G. Ratsaby and
// S. Ur, Framework for Testing Multi-threaded Java Programs, Concurrency and
// Computation 15, 2003; ConTest's noise of types yield and sleep, mixed. The schedule is the
// runtime's own: it is not recorded, and a failure does not repeat but by chance.
func makeNoise(p float64) {
	disturb := func() {
		switch x := rand.Float64(); {
		case x >= p:
		case x < p/2:
			runtime.Gosched()
		default:
			time.Sleep(rand.N(maxNoise))
		}
	}
	setNoise(func(kind uint8) {
		if k := sched.Kind(kind); k != sched.Gosched && k != sched.Sleep { // those are noise, too
			disturb()
		}
	})
	probe.Hook = func(sched.Kind, uint32, uintptr, uintptr) { disturb() }
}

// maxNoise is the longest sleep: long against an operation, short against a test.
const maxNoise = time.Millisecond
