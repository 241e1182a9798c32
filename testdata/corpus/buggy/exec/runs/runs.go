// Package runs counts the commands that it runs in parallel without a lock.
//
// Expect: race|fail
package runs

import "os/exec"

// A Runner runs commands.
type Runner struct{ runs int }

// Run runs a command.
func (r *Runner) Run(name string, args ...string) error {
	r.runs++
	return exec.Command(name, args...).Run()
}

// Runs returns the number of commands run.
func (r *Runner) Runs() int { return r.runs }
