// Package acquire is an Analyzer without diagnostics: it lists which locks functions take,
// themselves or by what they call, in their own package and in those it imports.
package acquire

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Analyzer's result is a *Program.
var Analyzer = &analysis.Analyzer{
	Name:       "coopvetacquire",
	Doc:        "list the locks that functions take",
	Requires:   []*analysis.Analyzer{lockset.Analyzer},
	FactTypes:  []analysis.Fact{new(takesFact)},
	ResultType: reflect.TypeFor[*Program](),
	Run:        run,
}

// A Lock is one that a function takes, and may have released when it returns.
type Lock struct {
	Path    lockset.Path // in the frame of the function; the zero Path if it cannot be named there
	Class   lockset.Class
	Reading bool
	// Sure: it is taken whenever the function returns.
	Sure bool
	// Instr takes the lock, or calls the function that does. Chain tells what happens there,
	// for people: the functions that are called, outermost first.
	Instr ssa.CallInstruction
	Chain []string
	// Released are locks of the caller that are not held any more when the lock is taken: the
	// function has released them, in its frame.
	Released []lockset.Path
	// Calls are the calls on the way to where the lock is taken, then that itself, as far
	// as they are in this package.
	Calls []ssa.CallInstruction
}

const (
	maxLocks = 64 // per function
	maxChain = 6  // calls
)

// A Program knows the functions of a package.
type Program struct {
	*lockset.Program
	pass *analysis.Pass

	mu   sync.Mutex // several checks ask at the same time
	sums map[*ssa.Function][]Lock
	open map[*ssa.Function]bool
}

// takesFact lists locks of a function for the packages that call it.
type takesFact struct{ Locks []taken }

// taken is a Lock without what is known in one package only.
type taken struct {
	Param         int // the lock's path starts at this parameter; -1: none
	Sel           string
	Class         lockset.Class
	Reading, Sure bool
	Released      []param
	Chain         []string
}

// param is a path that starts at a parameter.
type param struct {
	Index int
	Sel   string
}

func (*takesFact) AFact() {}

func (f *takesFact) String() string {
	var names []string
	for _, l := range f.Locks {
		names = append(names, string(l.Class))
	}
	return strings.Join(names, " ")
}

func run(pass *analysis.Pass) (any, error) {
	p := &Program{
		Program: pass.ResultOf[lockset.Analyzer].(*lockset.Program),
		pass:    pass,
		sums:    make(map[*ssa.Function][]Lock),
		open:    make(map[*ssa.Function]bool),
	}
	for _, fn := range p.Functions() {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() {
			continue
		}
		if list := p.Of(fn); len(list) > 0 {
			pass.ExportObjectFact(obj, fact(fn, list))
		}
	}
	return p, nil
}

func fact(fn *ssa.Function, list []Lock) *takesFact {
	f := new(takesFact)
	for _, l := range list {
		t := taken{Param: -1, Class: l.Class, Reading: l.Reading, Sure: l.Sure, Chain: l.Chain}
		if p, ok := l.Path.Root.(*ssa.Parameter); ok {
			t.Param, t.Sel = slices.Index(fn.Params, p), l.Path.Sel
		}
		for _, r := range l.Released {
			if p, ok := r.Root.(*ssa.Parameter); ok {
				t.Released = append(t.Released, param{slices.Index(fn.Params, p), r.Sel})
			}
		}
		if t.Param >= 0 || t.Class != "" && !strings.Contains(string(t.Class), "@") {
			f.Locks = append(f.Locks, t)
		}
	}
	return f
}

// Of returns the locks that fn takes; of those that read the same only one.
func (p *Program) Of(fn *ssa.Function) []Lock {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.takes(fn)
}

// At returns the locks that a call takes, in the frame of the function that calls. Locks that
// it only tries to take are not among them.
func (p *Program) At(call ssa.CallInstruction) []Lock {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at(call)
}

func (p *Program) takes(fn *ssa.Function) []Lock {
	if list, ok := p.sums[fn]; ok {
		return list
	}
	if p.open[fn] || len(fn.Blocks) == 0 {
		return nil
	}
	p.open[fn] = true
	list := p.collect(fn)
	delete(p.open, fn)
	p.sums[fn] = list
	return list
}

func (p *Program) collect(fn *ssa.Function) []Lock {
	var list []Lock
	f := p.Program.Of(fn)
	add := func(l Lock) {
		if len(list) >= maxLocks || f.Releases(l.Path) {
			return
		}
		same := func(m Lock) bool { return m.Path == l.Path && m.Class == l.Class && m.Reading == l.Reading }
		i := slices.IndexFunc(list, same)
		if i < 0 {
			list = append(list, l)
			return
		}
		released := both(l.Released, list[i].Released)
		if l.Sure && !list[i].Sure {
			list[i] = l
		}
		list[i].Released = released
	}
	f.Walk(func(i ssa.Instruction, _ lockset.Set) {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			return
		}
		if _, isGo := call.(*ssa.Go); isGo {
			return
		}
		sure := access.Always(fn, i)
		for _, l := range p.at(call) {
			l.Sure = l.Sure && sure
			for _, h := range f.Released(i) {
				l.Released = append(slices.Clip(l.Released), h.Lock)
			}
			add(l)
		}
	})
	return list
}

// both returns what is in both lists.
func both(a, b []lockset.Path) []lockset.Path {
	return slices.DeleteFunc(slices.Clone(a), func(p lockset.Path) bool { return !slices.Contains(b, p) })
}

func (p *Program) at(call ssa.CallInstruction) []Lock {
	c := call.Common()
	if op, args, ok := syncop.OfCall(c); ok {
		switch {
		case op.Kind == syncop.Acquire || op.Kind == syncop.AcquireRead:
			path := lockset.PathOf(args[op.Object])
			return []Lock{{
				Path: path, Class: lockset.ClassOf(path), Reading: op.Kind == syncop.AcquireRead, Sure: true,
				Instr: call, Calls: []ssa.CallInstruction{call},
			}}
		case op.Kind == syncop.Once && op.Func < len(args):
			if t := access.TargetOf(args[op.Func]); t != nil {
				return p.of(call, t)
			}
		}
		return nil
	}
	if t := access.CalledBy(c); t != nil {
		return p.of(call, t)
	}
	return nil
}

// of returns what calling t takes.
func (p *Program) of(call ssa.CallInstruction, t *access.Target) []Lock {
	if len(t.Fn.Blocks) == 0 {
		return p.imported(call, t)
	}
	var out []Lock
	for _, l := range p.takes(t.Fn) {
		if len(l.Chain) >= maxChain {
			continue
		}
		l.Path, _ = t.Translate(l.Path)
		l.Released = translate(t, l.Released)
		l.Instr = call
		l.Chain = append([]string{access.FuncName(t.Fn)}, l.Chain...)
		l.Calls = append([]ssa.CallInstruction{call}, l.Calls...)
		out = append(out, l)
	}
	return out
}

// translate returns those paths of t that have a name in its caller's frame, under that name.
func translate(t *access.Target, paths []lockset.Path) []lockset.Path {
	var out []lockset.Path
	for _, p := range paths {
		if p, ok := t.Translate(p); ok {
			out = append(out, p)
		}
	}
	return out
}

// imported returns what a function of another package takes.
func (p *Program) imported(call ssa.CallInstruction, t *access.Target) []Lock {
	obj := syncop.Declared(t.Fn)
	var f takesFact
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg || !p.pass.ImportObjectFact(obj, &f) {
		return nil
	}
	var out []Lock
	for _, l := range f.Locks {
		lock := Lock{Class: l.Class, Reading: l.Reading, Sure: l.Sure, Instr: call, Calls: []ssa.CallInstruction{call}}
		if l.Param >= 0 && l.Param < len(t.Args) && t.Args[l.Param] != nil {
			lock.Path = lockset.PathOf(t.Args[l.Param]).Join(l.Sel)
		}
		for _, r := range l.Released {
			if r.Index < len(t.Args) && t.Args[r.Index] != nil {
				lock.Released = append(lock.Released, lockset.PathOf(t.Args[r.Index]).Join(r.Sel))
			}
		}
		if len(l.Chain) < maxChain {
			lock.Chain = append([]string{access.FuncName(t.Fn)}, l.Chain...)
			out = append(out, lock)
		}
	}
	return out
}

// Via describes the chain of calls for people: "", or " by calling f, g".
func (l Lock) Via() string {
	if len(l.Chain) == 0 {
		return ""
	}
	return " by calling " + strings.Join(l.Chain, ", which calls ")
}

// Pos is where the lock is taken, or the call of the imported function that takes it.
func (l Lock) Pos() token.Pos { return l.Calls[len(l.Calls)-1].Pos() }
