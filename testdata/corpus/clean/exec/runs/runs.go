// Package runs counts the commands that it runs in parallel atomically.
package runs

import (
	"os/exec"
	"sync/atomic"
)

// A Runner runs commands.
type Runner struct{ runs atomic.Int64 }

// Run runs a command.
func (r *Runner) Run(name string, args ...string) error {
	r.runs.Add(1)
	return exec.Command(name, args...).Run()
}

// Runs returns the number of commands run.
func (r *Runner) Runs() int { return int(r.runs.Load()) }
