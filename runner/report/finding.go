package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxOutput  = 20 // lines of the program's output, unless verbose
	maxBlocked = 3  // blocked tasks that a sentence names
)

// finding prints one finding below the line of its test.
func (h *Text) finding(f *Finding) {
	h.printf("%s%s\n", indent, h.paint(bold, wrap(f.Kind+": "+Sentence(f), h.style.Width-len(indent), indent)))
	if out := strings.TrimRight(f.Output, "\n"); !repeats(f.Message, out) {
		h.printf("\n")
		h.lines(strings.Split(out, "\n"), maxOutput)
	}
	if len(f.Steps) > 0 {
		h.printf("\n%sschedule %s:\n\n", indent, h.origin(f))
		h.lines(table(f, h.style.Width-len(indent), h.style.Verbose), 1<<30)
	}
	h.printf("\n")
	for _, n := range f.Notes {
		h.printf("%s%s\n", indent, wrap("note: "+n, h.style.Width-len(indent), indent))
	}
	if f.Replay != "" {
		h.printf("%sreplay: %s\n", indent, h.paint(bold, f.Replay))
	}
	h.printf("\n")
}

// repeats reports whether a test's log says no more than message.
func repeats(message, log string) bool {
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if !strings.Contains(message, line) && !strings.HasPrefix(line, "--- FAIL") {
			return false
		}
	}
	return true
}

// origin says where the schedule comes from.
func (h *Text) origin(f *Finding) string {
	s := fmt.Sprintf("%d of seed %d", f.Trial, f.Seed)
	if f.Saved {
		s = "saved by an earlier run"
	}
	switch {
	case f.Switches < f.Original:
		s += fmt.Sprintf(", shortened from %d to %s", f.Original, count(f.Switches, "context switch"))
	default:
		s += ", " + count(f.Switches, "context switch")
	}
	if f.Turns {
		s += ", then the goroutines take turns"
	}
	return strings.ReplaceAll(s, "switchs", "switches")
}

// lines prints indented lines, without the middle of what exceeds max.
func (h *Text) lines(lines []string, max int) {
	for i, l := range lines {
		if len(lines) > max && !h.style.Verbose && i >= max/2 && i < len(lines)-max/2 {
			if i == max/2 {
				h.printf("%s... %d more lines\n", indent, len(lines)-max/2*2)
			}
			continue
		}
		h.printf("%s\n", strings.TrimRight(indent+l, " "))
	}
}

// wrap breaks text between words; continuation lines get prefix.
func wrap(text string, width int, prefix string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n" + prefix)
		}
		col := 0
		for j, word := range strings.Fields(line) {
			n := utf8.RuneCountInString(word)
			if j > 0 && col+1+n > width {
				b.WriteString("\n" + prefix)
				col = 0
			} else if j > 0 {
				b.WriteByte(' ')
				col++
			}
			b.WriteString(word)
			col += n
		}
	}
	return b.String()
}

// taskName is how a report calls a task.
func taskName(f *Finding, id int) string {
	for _, t := range f.Tasks {
		if t.ID == id {
			switch {
			case t.Name == "main" || strings.HasPrefix(t.Name, "timer"):
				return t.Name
			default:
				return "goroutine " + t.Name
			}
		}
	}
	if id == 0 {
		return "main"
	}
	return fmt.Sprintf("task %d", id)
}

// String returns "file:line", or "" for an unknown position.
func (p Position) String() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Sentence says in one sentence what has happened, in the words of the program. It
// knows more names than Finding.Message.
func Sentence(f *Finding) string {
	switch {
	case f.Kind == "race" && len(f.States) == 2:
		a, b := f.States[0], f.States[1]
		obj := a.Object
		if obj == "" {
			obj = b.Object
		}
		return fmt.Sprintf("%s %s %s at %s while %s %s it at %s, with nothing that orders them",
			taskName(f, a.Task), verb(a.Op), obj, a.Position, taskName(f, b.Task), verb(b.Op), b.Position)
	case f.Kind == "deadlock" || f.Kind == "leak":
		parts := blockedTasks(f)
		if more := len(parts) - maxBlocked; more > 0 {
			parts = append(parts[:maxBlocked], fmt.Sprintf("and %d more", more+f.Omitted))
		}
		if len(parts) > 0 {
			return strings.Join(parts, "; ")
		}
	}
	return strings.TrimPrefix(f.Message, f.Kind+": ")
}

// blockedTasks says what each blocked task waits for; if some wait for locks that
// others hold, only those: they are the cause.
func blockedTasks(f *Finding) []string {
	var cause, all []string
	for _, s := range f.States {
		if s.State != "blocked" {
			continue
		}
		all = append(all, blocked(f, s))
		if s.HeldBy >= 0 {
			cause = append(cause, blocked(f, s))
		}
	}
	if len(cause) > 0 {
		return cause
	}
	return all
}

// blocked says what a task waits for.
func blocked(f *Finding, s State) string {
	text := taskName(f, s.Task) + " waits " + waiting(s)
	if s.File != "" {
		text += " at " + s.Position.String()
	}
	if s.HeldBy >= 0 {
		text += ", held by " + taskName(f, s.HeldBy)
	}
	return text
}

func waiting(s State) string {
	obj := s.Object
	if obj == "" {
		obj = "?"
	}
	switch s.Op {
	case "lock", "wlock":
		return "to lock " + obj
	case "rlock":
		return "to read-lock " + obj
	case "send":
		return "to send to " + obj
	case "recv":
		return "to receive from " + obj
	case "select":
		return "in a select"
	case "wg-wait":
		return "for the wait group " + obj
	case "cond-wait":
		return "for the condition " + obj
	}
	return "in " + strings.TrimSpace(s.Op+" "+s.Object)
}

func verb(op string) string {
	switch op {
	case "read", "map-read":
		return "reads"
	case "write", "map-write":
		return "writes"
	case "atomic-load":
		return "atomically reads"
	case "atomic-store", "atomic-rmw":
		return "atomically writes"
	}
	return "accesses (" + op + ")"
}
