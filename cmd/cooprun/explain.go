package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape"
	"github.com/coopvet/coop/instrument"
	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// explainTrials is the number of schedules of each test by which -explain measures how
// many scheduling points there are.
const explainTrials = 20

// explanation is what -explain says of a package; with -json, in this form.
type explanation struct {
	Package   string         `json:"package"`
	Locations []explainedLoc `json:"locations"`
	Accesses  int            `json:"accesses"`         // to plain memory, in the source, that -classify=all observes
	Visible   int            `json:"visible"`          // those among them that static observes
	Merged    int            `json:"merged,omitempty"` // functions of which the analysis does not tell calls apart: the program is large
	// Scheduling points per schedule at plain memory accesses, measured: in schedules in which
	// all are, those that the analysis would leave.
	PointsAll    float64 `json:"points_all"`
	PointsStatic float64 `json:"points_static"`
}

// explainedLoc is one location, or several of the same name.
type explainedLoc struct {
	Name     string            `json:"name"`
	Class    string            `json:"class"` // the worst
	Why      string            `json:"why"`
	At       string            `json:"at"` // file:line of an access
	Count    int               `json:"count"`
	Accesses []explainedAccess `json:"accesses,omitempty"` // of an unprotected location
}

type explainedAccess struct {
	At        string   `json:"at"`
	Op        string   `json:"op"`
	Goroutine string   `json:"goroutine,omitempty"` // empty: the one that made the location
	Calls     []string `json:"calls,omitempty"`     // by which that comes to the access: function names
	Locks     []string `json:"locks,omitempty"`
}

// explain prints how the locations of the packages are classified, and what that saves.
func explain(ctx context.Context, c *config, stdout io.Writer) error {
	tc, err := prepare(ctx, c)
	if err != nil {
		return err
	}
	prog, err := list(ctx, c, tc)
	if err != nil {
		return err
	}
	c.classify, c.audit = classifyStatic, true // one binary tells all: see measurePoints
	b := &builder{config: c, tc: tc, prog: prog}
	if b.analysed, err = analyse(ctx, b); err != nil {
		return err
	}
	chosen, ok := b.analysed.classes.(static)
	if !ok {
		return usageError("%s", b.analysed.note)
	}
	points, err := b.measurePoints(ctx)
	if err != nil {
		return err
	}
	for _, l := range prog.roots {
		x := explanation{Package: l.ImportPath, PointsAll: points[l].all, PointsStatic: points[l].visible}
		x.Locations, x.Merged = explainLocations(chosen.result, l.Dir), chosen.result.Merged()
		if err := x.countAccesses(b.analysed, l, chosen); err != nil {
			return err
		}
		if c.json {
			err = json.NewEncoder(stdout).Encode(x)
		} else {
			_, err = io.WriteString(stdout, x.text())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// countAccesses counts the accesses to plain memory for which there would be probes.
func (x *explanation) countAccesses(a *analysis, l *listed, chosen static) error {
	done := make(map[string]bool)
	for _, p := range a.loaded {
		if strings.TrimSuffix(p.PkgPath, "_test") != l.ImportPath || len(p.Errors) > 0 {
			continue
		}
		for _, f := range p.Syntax {
			name := p.Fset.PositionFor(f.FileStart, false).Filename
			src, ok := a.source.text(name)
			if done[name] || !ok || !slices.Contains(p.GoFiles, name) {
				continue
			}
			done[name] = true
			_, sites, err := instrument.File(p.Fset, f, src, p.Types, p.TypesInfo, instrument.Options{ProbeImport: probeImport, Claims: chosen.claims, FirstSite: 1})
			if err != nil {
				return err
			}
			for _, s := range sites {
				if s.Kind.IsAtomic() {
					continue
				}
				x.Accesses++
				if s.Claim&sched.ClaimUnprotected != 0 {
					x.Visible++
				}
			}
		}
	}
	return nil
}

// explainLocations lists the locations that are accessed in files of dir.
func explainLocations(result *escape.Result, dir string) []explainedLoc {
	short := func(p token.Pos) string {
		pos := result.Position(p)
		return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
	}
	byName := make(map[string]*explainedLoc)
	for _, l := range result.Locations {
		at := l.At
		if filepath.Dir(result.Position(at).Filename) != dir || strings.HasSuffix(l.Name, " varargs") {
			continue
		}
		key := l.Name
		if !strings.Contains(key, ".") {
			key += " " + short(l.Pos)
		}
		e := byName[key]
		if e == nil {
			e = &explainedLoc{Name: l.Name, Class: l.Class.String(), Why: l.Why, At: short(at)}
			byName[key] = e
		}
		e.Count++
		if l.Class == escape.Unprotected && len(e.Accesses) == 0 {
			e.Class, e.Why, e.At = l.Class.String(), l.Why, short(at)
			for _, a := range l.Accesses {
				e.Accesses = append(e.Accesses, explainAccess(result, &a, short))
			}
			slices.SortFunc(e.Accesses, func(a, b explainedAccess) int {
				return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Goroutine, b.Goroutine), slices.Compare(a.Locks, b.Locks))
			})
			e.Accesses = slices.CompactFunc(e.Accesses, func(a, b explainedAccess) bool {
				return a.At == b.At && a.Op == b.Op && a.Goroutine == b.Goroutine && slices.Equal(a.Locks, b.Locks)
			})
		}
	}
	var out []explainedLoc
	for _, e := range byName {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b explainedLoc) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Name, b.Name), cmp.Compare(a.At, b.At))
	})
	return out
}

func explainAccess(result *escape.Result, a *escape.Access, short func(token.Pos) string) explainedAccess {
	op := "read"
	if a.Write {
		op = "write"
	}
	if a.Atomic {
		op = "atomic " + op
	}
	if a.Deep { // the library may read or write all that it can reach
		op += " by a library function called"
	}
	who := ""
	if a.Start.IsValid() {
		who = "goroutine started at " + short(a.Start)
		if a.Many {
			who = "goroutines started at " + short(a.Start)
		}
	}
	return explainedAccess{At: short(a.Pos), Op: op, Goroutine: who, Calls: callNames(result.Calls(a)), Locks: a.Locks}
}

// callNames names functions as stacks do, but without the package of the last one.
func callNames(fns []*ssa.Function) []string {
	var here *types.Package
	if n := len(fns); n > 0 && fns[n-1].Pkg != nil {
		here = fns[n-1].Pkg.Pkg
	}
	var names []string
	for _, fn := range fns {
		names = append(names, strings.ReplaceAll(fn.RelString(here), "$", ".func"))
	}
	return names
}

// measurePoints runs a few schedules of the packages in which all accesses are scheduling
// points, and counts those that are not relied upon to be none, as an audit does.
func (b *builder) measurePoints(ctx context.Context) (map[*listed]*pointCounter, error) {
	saved, err := os.MkdirTemp("", "cooprun-explain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(saved)
	points := make(map[*listed]*pointCounter)
	for built := range b.buildAll(ctx) {
		if built.err != nil {
			return nil, built.err
		}
		n := &pointCounter{}
		points[built.pkg] = n
		if built.target == nil || built.target.Main {
			continue
		}
		opts := b.opts
		opts.Trials, opts.Budget, opts.SaveDir = explainTrials, 0, saved
		opts.Race, opts.Leak, opts.KeepGoing = false, false, true // failures are not the matter here
		if _, err := runner.Explore(ctx, built.target, &opts, n); err != nil {
			return nil, usageError("running %s: %w", built.pkg.ImportPath, err)
		}
	}
	return points, nil
}

// pointCounter adds up the accesses to plain memory per schedule of a package's tests.
type pointCounter struct{ all, visible float64 }

func (n *pointCounter) Handle(e report.Event) {
	if r, ok := e.(report.TestResult); ok && r.Trials > 0 && r.Accesses != nil {
		n.all += float64(r.Accesses.All) / float64(r.Trials)
		n.visible += float64(r.Accesses.Visible) / float64(r.Trials)
	}
}

// text is the explanation for people.
func (x *explanation) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", x.Package)
	for _, l := range x.Locations {
		fmt.Fprintf(&b, "  %-12s %-32s %s\n", l.Class, l.Name, l.At)
		fmt.Fprintf(&b, "  %-12s     %s\n", "", l.Why)
		for i, a := range l.Accesses {
			if i == 6 {
				fmt.Fprintf(&b, "  %-12s     … and %d more accesses\n", "", len(l.Accesses)-i)
				break
			}
			fmt.Fprintf(&b, "  %-12s     %s\n", "", a.text())
		}
	}
	if x.Merged > 0 {
		fmt.Fprintf(&b, "\nThe program is large: calls of %d functions are not told apart, and more accesses than necessary are scheduling points.\n", x.Merged)
	}
	fmt.Fprintf(&b, "\n%d of %d accesses to memory in the source are scheduling points (%s fewer than with -classify=all).\n",
		x.Visible, x.Accesses, share(float64(x.Visible), float64(x.Accesses)))
	fmt.Fprintf(&b, "%.0f of %.0f scheduling points at memory accesses per schedule are left (%s fewer), in %d schedules of each test.\n\n",
		x.PointsStatic, x.PointsAll, share(x.PointsStatic, x.PointsAll), explainTrials)
	return b.String()
}

func (a explainedAccess) text() string {
	s := a.Op + " at " + a.At
	if a.Goroutine != "" {
		s += " by " + a.Goroutine
	}
	if len(a.Calls) > 1 {
		s += " through " + strings.Join(a.Calls, ", ")
	}
	if len(a.Locks) > 0 {
		s += ", holding " + strings.Join(a.Locks, ", ")
	}
	return s
}

// share is how much less part is than whole.
func share(part, whole float64) string {
	if whole <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.0f%%", 100*(1-max(part, 0)/whole))
}
