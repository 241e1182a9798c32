//go:build unix

package runner

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// statusPage is the parent's view of the memory that it shares with one worker.
type statusPage struct {
	file *os.File // inherited by the worker
	mem  []byte
}

func newStatusPage() (*statusPage, error) {
	f, err := os.CreateTemp("", "coop-status-*")
	if err != nil {
		return nil, fmt.Errorf("status page: %w", err)
	}
	os.Remove(f.Name()) // lives as long as somebody has it open
	if err := reserve(f, sched.StatusSize); err != nil {
		f.Close()
		return nil, &SetupError{Code: -1, Text: fmt.Sprintf(
			"no room for %d MB in %s: %v; TMPDIR names another directory", sched.StatusSize>>20, os.TempDir(), err)}
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, sched.StatusSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("status page: %w", err)
	}
	return &statusPage{f, mem}, nil
}

// word reads one of the sched.Status words.
func (p *statusPage) word(i int) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&p.mem[8*i])))
}

// decisions copies the decisions of the running trial, of which the page may hold
// only the first ones.
func (p *statusPage) decisions() []sched.TaskID {
	n := min(int(p.word(sched.StatusDecisions)), (sched.StatusSize-8*sched.StatusWords)/4)
	ids := make([]sched.TaskID, n)
	for i := range ids {
		ids[i] = *(*sched.TaskID)(unsafe.Pointer(&p.mem[8*sched.StatusWords+4*i]))
	}
	return ids
}

// choices copies the choices of the running trial, as far as the page has room for them.
func (p *statusPage) choices() []sched.Choice {
	list := make([]sched.Choice, min(int(p.word(sched.StatusChoices)), sched.StatusMaxChoices))
	for i := range list {
		list[i] = sched.ChoiceOf(p.word(sched.StatusChoice + i))
	}
	return list
}

func (p *statusPage) close() {
	syscall.Munmap(p.mem)
	p.file.Close()
}

// ownGroup makes cmd the leader of a process group, so that a terminal's Ctrl-C does
// not reach it and everything that a test starts can be killed with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills the process group of cmd.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// askForStacks makes a Go process print all its goroutines and die.
func askForStacks(cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGQUIT) }

// deathSignal returns the name of the signal that ended a process, "" if it exited.
func deathSignal(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
