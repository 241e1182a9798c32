package runner

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// death is how a worker ended that should not have.
type death struct {
	inTrial   bool // a trial was running
	trial     int  // its index
	decisions []sched.TaskID
	choices   []sched.Choice
	failure   sched.Failure
}

// autopsy finds out how a dead worker died while it served job.
func (w *worker) autopsy(job *sched.Job) *death {
	d := &death{inTrial: w.status.word(sched.StatusState) != sched.StateIdle, trial: int(w.status.word(sched.StatusTrial))}
	if d.trial < job.First || d.trial >= job.First+job.Trials() {
		d.inTrial = false // it died before it looked at the job
	}
	if d.inTrial && (job.Trace || job.Search) {
		d.decisions = w.status.decisions()
		d.choices = w.status.choices()
	}
	out := w.output()
	switch w.killed {
	case causeHang:
		d.failure = sched.Failure{
			Kind: sched.FailHang, Key: "hang", Output: clip(out),
			Message: fmt.Sprintf("a step of the schedule did not return within %v", w.hang),
		}
	case causeMemory:
		d.failure = sched.Failure{
			Kind: sched.FailMemory, Key: "memory", Output: clip(out),
			Message: fmt.Sprintf("the test used more than %d MB of memory and was stopped", w.memory>>20),
		}
	default:
		d.failure = causeOfDeath(w.errs.String(), w.cmd.ProcessState.ExitCode(), deathSignal(w.cmd.ProcessState), w.roots)
	}
	return d
}

// causeOfDeath reads the end of a process from what it wrote to standard error, its
// exit code (-1: none) and the signal that killed it ("": none). libraries are the
// directories of source that is not the user's.
func causeOfDeath(stderr string, code int, signal string, libraries []string) sched.Failure {
	const panicMark, fatalMark = "panic: ", "fatal error: "
	text, kind := lastReport(stderr, panicMark), sched.FailPanic
	if fatal := lastReport(stderr, fatalMark); len(fatal) > 0 && (text == "" || len(fatal) < len(text)) {
		text, kind = fatal, sched.FailFatal
	}
	if text == "" || code >= 0 && code != 2 {
		f := sched.Failure{Kind: sched.FailExit, Output: clip(stderr)}
		switch last := lastLine(stderr); {
		case signal != "":
			f.Kind, f.Message = sched.FailFatal, "the process was killed by the signal "+signal
			if signal == "killed" {
				f.Message += ", perhaps because the system ran out of memory"
			}
		case last != "":
			f.Message = fmt.Sprintf("the program exited with code %d after printing %q", code, last)
		default:
			f.Message = fmt.Sprintf("the program called os.Exit(%d)", code)
		}
		f.Key = string(f.Kind) + " " + general(f.Message)
		return f
	}

	what, _, _ := strings.Cut(text, "\n\ngoroutine ")
	what, _, _ = strings.Cut(what, "\n[signal ") // the address of a nil dereference
	what = strings.TrimPrefix(strings.TrimPrefix(what, panicMark), fatalMark)
	what = strings.TrimSpace(recovered.ReplaceAllString(what, ""))
	first, _, _ := strings.Cut(what, "\n")
	frame := topFrame(text, libraries)
	f := sched.Failure{Kind: kind, Output: clip(text), Message: what, Key: string(kind) + " " + general(first)}
	if strings.HasPrefix(what, "all goroutines are asleep") {
		f.Kind = sched.FailDeadlock
	}
	if frame != "" {
		f.Message += " (in " + frame + ")"
		f.Key += " in " + frame
	}
	return f
}

// lastReport returns the end of text from the last line that begins with mark and is
// not part of another report: nested panics are indented.
func lastReport(text, mark string) string {
	if i := strings.LastIndex(text, "\n"+mark); i >= 0 {
		return text[i+1:]
	}
	if strings.HasPrefix(text, mark) {
		return text
	}
	return ""
}

var (
	// The testing package panics again with what it has recovered.
	recovered = regexp.MustCompile(` \[recovered(, repanicked)?\]`)
	// Addresses and numbers differ between runs with the same cause.
	number    = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)
	frameLine = regexp.MustCompile(`(?m)^([^\s(][^\n]*)\([^\n]*\)\n\t([^\n]+?):(\d+)`)
)

// general removes from a message what changes from run to run.
func general(s string) string { return number.ReplaceAllString(s, "N") }

// topFrame returns the innermost function of the user's in a goroutine's stack, "" if
// there is none.
func topFrame(text string, libraries []string) string {
	for _, m := range frameLine.FindAllStringSubmatch(text, -1) {
		fn, file := m[1], m[2]
		if !slices.ContainsFunc(libraries, func(dir string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }) {
			return fn[strings.LastIndexByte(fn, '/')+1:]
		}
	}
	return ""
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// maxOutput bounds the program's output that a finding carries.
const maxOutput = 64 << 10

// clip shortens long output in its middle.
func clip(s string) string {
	if len(s) <= maxOutput {
		return s
	}
	return s[:maxOutput/2] + "\n...\n" + s[len(s)-maxOutput/2:]
}
