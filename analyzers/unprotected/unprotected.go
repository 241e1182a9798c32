package unprotected

import (
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/analyzers/internal/doc"
	"github.com/coopvet/coop/escape/lockset"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes.
var Analyzer = &analysis.Analyzer{
	Name:     "unprotected",
	Doc:      doc.Text(docSource),
	URL:      doc.URL("unprotected"),
	Requires: []*analysis.Analyzer{lockset.Analyzer, access.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	result := pass.ResultOf[lockset.Analyzer].(*lockset.Program)
	c := &checker{pass: pass, result: result, prog: pass.ResultOf[access.Analyzer].(*access.Program), reported: make(map[string]bool)}
	c.callers = newCallers(c)
	for _, fn := range result.Functions() {
		c.goroutines(fn)
		c.handouts(fn)
	}
	c.guards()
	return nil, nil
}

type checker struct {
	pass     *analysis.Pass
	result   *lockset.Program
	prog     *access.Program
	callers  *callers
	received map[lockset.Class]ssa.Instruction // see receivers
	reported map[string]bool                   // locations
}

// A place is one of two accesses that conflict.
type place struct {
	access.Access
	start ssa.Instruction // of its goroutine; nil for the function that starts the other's
}

// conflict tells whether two accesses are a data race if goroutines make them at the same
// time and nothing else orders them.
func conflict(a, b *access.Access) bool {
	return (a.Write || b.Write) && !(a.Atomic && b.Atomic) && access.Overlap(a.Path, b.Path) &&
		!commonLock(a.Held, b.Held) && !maybeCommon(a, b)
}

// commonLock tells whether two accesses hold the same lock, not both for reading. Locks that
// are the same field of objects of one type count as the same: they may be.
func commonLock(a, b lockset.Set) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Reading && y.Reading {
				continue
			}
			if x.Lock == y.Lock {
				return true
			}
			if class := lockset.ClassOf(x.Lock); class == lockset.ClassOf(y.Lock) && (x.Lock.Root != y.Lock.Root || access.Variable(x.Lock)) {
				return true
			}
		}
	}
	return false
}

// maybeCommon tells whether it is not known well enough which locks are held to say that there
// is none in common.
func maybeCommon(a, b *access.Access) bool {
	return unsure(a).Meets(b.Maybe) || unsure(b).Meets(a.Maybe)
}

// unsure returns the locks that a may hold but does not surely hold.
func unsure(a *access.Access) access.Classes {
	rest := make(access.Classes)
	for class := range a.Maybe {
		if !slices.ContainsFunc(a.Held, func(h lockset.Held) bool { return lockset.ClassOf(h.Lock) == class }) {
			rest[class] = true
		}
	}
	return rest
}

// ordered tells whether one of two accesses may always come before the other. Locks can only
// do that, together with some flag, if neither is made with a lock held.
func ordered(a, b *access.Access) bool {
	ab, ba, aa, bb := a.Before, b.Before, a.After, b.After
	if len(a.Held) > 0 || len(b.Held) > 0 {
		ab, ba, aa, bb = ab.WithoutLocks(), ba.WithoutLocks(), aa.WithoutLocks(), bb.WithoutLocks()
	}
	return access.May(aa, ba) || access.May(bb, ab)
}

// race reports two accesses, unless one of the same location is reported already.
func (c *checker) race(x, y place) {
	if c.rank(y) > c.rank(x) {
		x, y = y, x
	}
	name, id := location(x.Access)
	if c.reported[id] || !x.Instr.Pos().IsValid() {
		return
	}
	c.reported[id] = true
	d := analysis.Diagnostic{
		Pos: x.Instr.Pos(), Category: "goroutine",
		Message: fmt.Sprintf("%s is %s here%s and %s by another goroutine at the same time, without a common lock", name, verb(x), by(x.Access), verb(y)),
	}
	relate := func(pos token.Pos, message string) {
		if pos.IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: message})
		}
	}
	if y.Instr != x.Instr {
		relate(y.Instr.Pos(), "the other goroutine "+active(y))
	}
	for _, p := range []place{x, y} {
		if p.start != nil && !slices.ContainsFunc(d.Related, func(r analysis.RelatedInformation) bool { return r.Pos == p.start.Pos() }) {
			relate(p.start.Pos(), "a goroutine starts here")
		}
	}
	c.pass.Report(d)
}

// rank tells which of two accesses is rather the one to report: not in a test, without a
// lock, a write.
func (c *checker) rank(p place) (n int) {
	if !c.inTest(p.Instr) {
		n += 4
	}
	if len(p.Held) == 0 {
		n += 2
	}
	if p.Write {
		n++
	}
	return n
}

func verb(p place) string {
	s := "read"
	if p.Write {
		s = "written"
	}
	if p.Atomic {
		s += " atomically"
	}
	return s
}

// by names the function of another package that makes the access.
func by(a access.Access) string {
	if a.By == "" {
		return ""
	}
	return " (in " + a.By + ")"
}

func active(p place) string {
	s := "reads"
	if p.Write {
		s = "writes"
	}
	s += " it here" + by(p.Access)
	if len(p.Held) > 0 {
		s += " with " + lockNames(p.Held) + " held"
	}
	return s
}

func lockNames(held lockset.Set) string {
	var names []string
	for _, h := range held {
		names = append(names, h.Lock.String())
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " and ")
}

// index matches an index that is no constant.
var index = regexp.MustCompile(`\[([^\]0-9]|0\.)[^\]]*\]`)

// location names what an access accesses, for people and as a key.
func location(a access.Access) (name, id string) {
	class := string(a.Class)
	hidden := ""
	for step, what := range map[string]string{access.Spare: "the spare capacity of ", access.Iterator: "the iterator "} {
		if part, ok := strings.CutSuffix(a.Part, step); ok {
			hidden, a.Part = what, part
			a.Path.Sel = strings.TrimSuffix(a.Path.Sel, step)
		}
	}
	a.Part = index.ReplaceAllString(a.Part, "[]")
	part := strings.ReplaceAll(a.Part, "*", "")
	switch {
	case class == "":
		name = index.ReplaceAllString(a.Path.String(), "[]")
		id = fmt.Sprintf("%s@%d", name, a.Path.Root.Pos())
	case strings.Contains(class, "@"): // a local variable
		name = a.Path.Root.Name()
		if v, ok := a.Path.Root.(*ssa.Alloc); ok {
			name = v.Comment
		}
		name, id = name+part, class+a.Part
	default:
		name = class[strings.LastIndexByte(class, '/')+1:]
		if _, after, ok := strings.Cut(name, "."); ok {
			name = after
		}
		name, id = name+part, class+a.Part
	}
	if isMapObject(a) {
		name = "map " + name
	}
	if a.Object != "" {
		id = string(a.Object)
	}
	return hidden + name, hidden + id
}

// isMapObject tells whether the access is one to the contents of a map.
func isMapObject(a access.Access) bool {
	switch i := a.Instr.(type) {
	case *ssa.MapUpdate, *ssa.Lookup, *ssa.Range:
		return true
	case *ssa.Call:
		if len(i.Call.Args) > 0 {
			_, ok := i.Call.Args[0].Type().Underlying().(*types.Map)
			return ok
		}
	}
	return false
}
