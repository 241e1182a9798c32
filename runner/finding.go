package runner

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// finding describes a failing trial in the words of the program.
func (e *explorer) finding(test string, rec sched.TrialRecord) report.Finding {
	f := rec.Failure
	out := report.Finding{
		Package: e.target.Package, Dir: e.target.Dir, Test: test,
		Kind: string(f.Kind), Message: f.Message, Key: e.key(f.Key), Output: e.program(clip(join(rec.Output, f.Output))),
		Gap: rec.Omitted, GapAt: rec.OmittedAt, Omitted: f.Omitted, Trial: rec.Trial, Switches: switches(rec.Decisions), Turns: rec.Turns,
	}
	for _, t := range rec.Tasks {
		out.Tasks = append(out.Tasks, report.Task{ID: int(t.ID), Name: t.Name, Func: t.Func, Spawned: e.resolve(t.Spawned)})
	}
	names := e.nameObjects(&rec)
	for _, s := range rec.Steps {
		out.Steps = append(out.Steps, report.Step{
			Task: int(s.Task), Op: s.Kind, Object: names.step(s), Enabled: s.Enabled, Blocked: s.Blocked,
			Private: names.private(s.Kind, s.Object), Value: s.Value, Now: s.Now, Position: e.resolve(s.Site),
		})
	}
	for _, s := range f.Tasks {
		out.States = append(out.States, report.State{
			Task: int(s.Task), State: s.State, Op: s.OpStr, Object: names.state(s), HeldBy: int(s.HeldBy),
			Stack: s.Stack, Position: e.resolve(s.Site),
		})
	}
	return out
}

var accessNumber = regexp.MustCompile(`@(\d+)\b`)

// key returns a worker's key in a form that does not depend on where the package lies
// and how its accesses are numbered.
func (e *explorer) key(key string) string {
	key = accessNumber.ReplaceAllStringFunc(key, func(m string) string {
		n, _ := strconv.ParseUint(m[1:], 10, 32)
		if pos := e.resolve(sched.Position{Access: uint32(n)}); pos.File != "" {
			return "@" + pos.String()
		}
		return m
	})
	return e.program(key)
}

// program removes the directories of the package and of libraries from a text.
func (e *explorer) program(text string) string {
	for _, dir := range append([]string{e.target.Dir}, e.target.Roots...) {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	}
	return text
}

// join puts the test's log before a failure's own text, unless that repeats it.
func join(log, text string) string {
	if log == "" || strings.Contains(text, log) {
		return text
	}
	if !strings.HasSuffix(log, "\n") {
		log += "\n"
	}
	return log + text
}

// resolve returns the position of a worker's site in the form of reports.
func (e *explorer) resolve(p sched.Position) report.Position {
	out := report.Position{File: p.File, Line: p.Line, Func: p.Func}
	if p.Access != 0 && e.target.Names != nil {
		if _, pos, ok := e.target.Names.Access(p.Access); ok {
			if pos.Func == "" {
				pos.Func = p.Func
			}
			out = pos
		}
	}
	out.File = e.shorten(out.File)
	return out
}

// shorten makes a file's name relative to the package or to one of the roots.
func (e *explorer) shorten(file string) string {
	for _, dir := range append([]string{e.target.Dir}, e.target.Roots...) {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return file
}

// objectNames gives the objects of one trial names from the source.
//
// A worker knows an object as "mutex 2". The source calls it what the operations on it
// are applied to: acct.mu. That expression is the name where it is the only one for
// the object and the object the only one that it denotes; otherwise both are needed:
// forks[i] (mutex 2). Memory that only one task touches needs no number.
type objectNames struct {
	e       *explorer
	exprs   map[string]string                // object → the first expression for it
	objects map[string]map[string]bool       // expression and sort of object → objects that it denotes
	tasks   map[string]map[sched.TaskID]bool // object → tasks that touch it
}

func (e *explorer) nameObjects(rec *sched.TrialRecord) *objectNames {
	n := &objectNames{
		e: e, exprs: make(map[string]string), objects: make(map[string]map[string]bool),
		tasks: make(map[string]map[sched.TaskID]bool),
	}
	for _, s := range rec.Steps {
		n.see(s.Task, s.Kind, s.Object, s.Site)
	}
	for _, s := range rec.Failure.Tasks {
		n.see(s.Task, s.OpStr, s.Object, s.Site)
	}
	return n
}

func (n *objectNames) see(task sched.TaskID, kind, object string, site sched.Position) {
	if object == "" {
		return
	}
	if n.tasks[object] == nil {
		n.tasks[object] = make(map[sched.TaskID]bool)
	}
	n.tasks[object][task] = true
	expr := n.e.expression(kind, site)
	if expr == "" {
		return
	}
	if _, ok := n.exprs[object]; !ok {
		n.exprs[object] = expr
	}
	key := sorted(expr, object)
	if n.objects[key] == nil {
		n.objects[key] = make(map[string]bool)
	}
	n.objects[key][object] = true
}

// sorted tells apart a variable and what it refers to: memory 1 and chan 1 may both be
// called s.done, and nobody is confused.
func sorted(expr, object string) string {
	sort, _, _ := strings.Cut(object, " ")
	return sort + " " + expr
}

// private reports whether an operation is an access to memory that one task touches.
func (n *objectNames) private(kind, object string) bool {
	k, _ := sched.KindByName(kind)
	return k.IsMemory() && object != "" && len(n.tasks[object]) < 2
}

func (n *objectNames) step(s sched.Step) string { return n.name(s.Kind, s.Object, s.Site) }

func (n *objectNames) state(s sched.TaskState) string { return n.name(s.OpStr, s.Object, s.Site) }

func (n *objectNames) name(kind, object string, site sched.Position) string {
	expr := n.e.expression(kind, site)
	switch {
	case object == "":
		return expr
	case expr == "":
		expr = n.exprs[object]
	}
	switch {
	case expr == "":
		return object
	case n.private(kind, object):
	case len(n.objects[sorted(expr, object)]) > 1 || n.exprs[object] != expr:
		return fmt.Sprintf("%s (%s)", expr, object)
	}
	return expr
}

// expression returns what the source applies an operation to, "" if unknown.
func (e *explorer) expression(kind string, site sched.Position) string {
	if site.Access != 0 {
		if e.target.Names != nil {
			if expr, _, ok := e.target.Names.Access(site.Access); ok {
				return expr
			}
		}
		return ""
	}
	k, _ := sched.KindByName(kind)
	return e.source.operand(k, site.File, site.Line)
}

// base returns the last element of a file's name.
func base(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }
