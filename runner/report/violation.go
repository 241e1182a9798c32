package report

import (
	"fmt"
	"strings"
)

// Violation is an execution in which memory was not shared in the way that the static
// analysis claims: an error of the analysis (-audit).
type Violation struct {
	Package    string        `json:"package"`
	Dir        string        `json:"dir"` // directory of the package; files are relative to it
	Test       string        `json:"test"`
	Location   string        `json:"location"` // in the program's words: "c.items"
	Claim      string        `json:"claim"`    // classes of package escape: "read-only or locked"
	Reason     string        `json:"reason"`   // what refutes them, one sentence
	Strategy   string        `json:"strategy"`
	Seed       uint64        `json:"seed"`       // of the run
	Trial      int           `json:"trial"`      // index of the schedule, from 0
	Reproduced bool          `json:"reproduced"` // the same happened in a fresh process, from where the stacks are
	Accesses   []AuditAccess `json:"accesses"`   // the one that refutes the claim, then an earlier one of another goroutine, if there is one
}

// AuditAccess is an access to memory in a Violation.
type AuditAccess struct {
	Task     string     `json:"task"` // name of the goroutine, see Task
	Op       string     `json:"op"`   // name of a sched.Kind
	Location string     `json:"location"`
	Claim    string     `json:"claim"`           // of this access
	Locks    []Position `json:"locks,omitempty"` // where the locks that it holds were taken
	Stack    string     `json:"stack,omitempty"`
	Position
}

func (Violation) event() string { return "violation" }

func (h *Text) violation(v *Violation) {
	h.printf("%s\n", h.paint(red, fmt.Sprintf("--- AUDIT: %s: %s is not %s", v.Test, v.Location, v.Claim)))
	h.printf("%s%s (schedule %d of seed %d)\n", indent, v.Reason, v.Trial, v.Seed)
	for i, a := range v.Accesses {
		when := ""
		if i > 0 {
			when = ", before"
		}
		name := a.Task
		if name != "main" {
			name = "goroutine " + name
		}
		h.printf("%s%s%s: %s %s at %s:%d, claimed to be %s, %s\n", indent, name, when, a.Op, a.Location, a.File, a.Line, a.Claim, holding(a.Locks))
		for line := range strings.Lines(a.Stack) {
			h.printf("%s%s%s\n", indent, indent, strings.TrimRight(line, "\n"))
		}
	}
	if !v.Reproduced {
		h.printf("%snote: this did not happen again in a fresh process\n", indent)
	}
	h.printf("\n")
}

func holding(locks []Position) string {
	if len(locks) == 0 {
		return "holding no lock"
	}
	var at []string
	for _, l := range locks {
		at = append(at, fmt.Sprintf("%s:%d", l.File, l.Line))
	}
	return "holding what was locked at " + strings.Join(at, ", ")
}
