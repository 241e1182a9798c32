package unprotected

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
)

// A use is a function's access to a field.
type use struct {
	access.Access
	fn    *ssa.Function
	guard lockset.Class // the lock of the same object that is held, or ""
	read  bool          // the guard is held for reading only
	lock  lockset.Path  // the guard
}

// How many functions must access a field with the lock, and how many of those come on one
// that does not, until that one is reported.
const (
	minGuarded   = 3
	guardedRatio = 3
)

// guards reports accesses to fields without the lock that other functions hold.
func (c *checker) guards() {
	k := c.callers
	// By field and by the type through which it is reached: what embeds a struct may have a lock
	// of its own.
	type key struct {
		field lockset.Class
		root  string
		deep  bool // what a function of another package accesses behind the pointer in the field
	}
	byField := make(map[key][]use)
	var fields []key
	for _, fn := range c.result.Functions() {
		for _, a := range c.prog.Of(fn).Accesses {
			if len(a.Calls) > 0 || a.Atomic || access.Variable(a.Path) || !c.ownField(a) || c.initial(k, fn, a) {
				continue
			}
			f := key{a.Class, a.Path.Root.Type().String(), a.By != "" && strings.HasPrefix(a.Part, "*")}
			if _, ok := a.Path.Root.(*ssa.FreeVar); ok {
				f.root = strings.TrimPrefix(f.root, "*") // the address of the variable
			}
			if byField[f] == nil {
				fields = append(fields, f)
			}
			byField[f] = append(byField[f], c.uses(fn, a))
		}
	}
	for _, f := range fields {
		c.field(k, f.field, byField[f])
	}
}

// ownField tells whether the access is to a field of a struct type of this package, through
// a pointer.
func (c *checker) ownField(a access.Access) bool {
	return strings.HasPrefix(string(a.Class), c.pass.Pkg.Path()+".") && strings.Contains(a.Path.Sel, ".") && !c.inTest(a.Instr)
}

// uses tells which lock of the object is held at an access.
func (c *checker) uses(fn *ssa.Function, a access.Access) use {
	u := use{Access: a, fn: fn}
	for _, h := range a.Held {
		if h.Lock.Root == a.Path.Root && sibling(h.Lock, a.Path) && (u.guard == "" || !h.Reading) {
			u.guard, u.read, u.lock = lockset.ClassOf(h.Lock), h.Reading, h.Lock
		}
	}
	return u
}

// sibling tells whether the lock is in the struct of the field, or in one around it.
func sibling(lock, field lockset.Path) bool {
	i := strings.LastIndexByte(lock.Sel, '.')
	return i >= 0 && strings.HasPrefix(field.Sel, lock.Sel[:i])
}

// constructor matches names of functions that make objects or prepare them for use.
var constructor = regexp.MustCompile(`^(?i:new|make|init|create|open|setup|build|clone|copy|dup|dial|must|parse|with|default)`)

// initial tells whether nobody else can know the object yet.
func (c *checker) initial(k *callers, fn *ssa.Function, a access.Access) bool {
	switch root := a.Path.Root.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.Call:
		callee := root.Call.StaticCallee()
		return callee == nil || constructor.MatchString(callee.Name())
	case *ssa.Parameter:
		return constructor.MatchString(fn.Name()) || c.freshParam(k, fn, root, 0)
	case *ssa.Extract:
		return true // of a call, mostly a constructor
	}
	return false
}

// freshParam tells whether all calls pass an object that the caller has just made.
func (c *checker) freshParam(k *callers, fn *ssa.Function, p *ssa.Parameter, depth int) bool {
	n := slices.Index(fn.Params, p)
	calls := k.calls[fn]
	if depth > 3 || n < 0 || len(calls) == 0 || k.values[fn] {
		return false
	}
	for _, call := range calls {
		args := access.CalledBy(call.Common()).Args
		if n >= len(args) || args[n] == nil {
			return false
		}
		switch root := lockset.PathOf(args[n]).Root.(type) {
		case *ssa.Alloc:
		case *ssa.Call:
			callee := root.Call.StaticCallee()
			if callee == nil || !constructor.MatchString(callee.Name()) {
				return false
			}
		case *ssa.Parameter:
			if !constructor.MatchString(call.Parent().Name()) && !c.freshParam(k, call.Parent(), root, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// field reports the uses of one field that lack its lock.
func (c *checker) field(k *callers, f lockset.Class, uses []use) {
	guard, path := usual(uses)
	if guard == "" {
		return
	}
	with, without := make(map[*ssa.Function]bool), make(map[*ssa.Function]use)
	written := false
	for _, u := range uses {
		if u.guard == guard {
			with[u.fn] = true
			written = written || u.Write && !u.read
			c.readLocked(u)
			continue
		}
		lock := lockset.Path{Root: u.Path.Root, Sel: path.Sel}
		switch {
		case access.CallerHolds(u.fn):
			with[u.fn] = true
			continue
		case !sibling(lock, u.Path), len(u.Held) > 0, u.Maybe[guard], c.takesAway(u, guard), orderedUse(u, uses):
			continue
		}
		switch k.entry(u.fn, lock) {
		case held:
			with[u.fn] = true
			written = written || u.Write
		case free:
			if old, ok := without[u.fn]; !ok || u.Write && !old.Write {
				without[u.fn] = u
			}
		}
	}
	if !written || len(with) < minGuarded || len(without)*guardedRatio > len(with) {
		return
	}
	for _, u := range uses {
		if w, ok := without[u.fn]; ok && w.Instr == u.Instr && w.Write == u.Write {
			c.unguarded(f, u, guard, path, uses, len(with))
		}
	}
}

// takesAway tells whether u uses a map that its function has replaced in the field, with the lock
// held, so that it is the function's own now.
func (c *checker) takesAway(u use, guard lockset.Class) bool {
	return strings.HasPrefix(u.Part, "*") && slices.ContainsFunc(c.prog.Of(u.fn).Accesses, func(o access.Access) bool {
		return o.Write && o.Class == u.Class && o.Part == "" && slices.ContainsFunc(o.Held, func(h lockset.Held) bool { return lockset.ClassOf(h.Lock) == guard })
	})
}

// usual is the lock that most uses hold.
func usual(uses []use) (lockset.Class, lockset.Path) {
	count := make(map[lockset.Class]int)
	var best use
	for _, u := range uses {
		if u.guard == "" {
			continue
		}
		count[u.guard]++
		if count[u.guard] > count[best.guard] || best.guard == "" {
			best = u
		}
	}
	return best.guard, best.lock
}

// readLocked reports a write with the lock held for reading only.
func (c *checker) readLocked(u use) {
	id := string(u.Class) + " read"
	if !u.Write || !u.read || c.reported[id] || c.reported[string(u.Class)+u.Part] || !u.Instr.Pos().IsValid() || exclusive(u.Held) {
		return
	}
	c.reported[id] = true
	name, _ := location(u.Access)
	c.pass.Report(analysis.Diagnostic{
		Pos: u.Instr.Pos(), Category: "lock",
		Message: fmt.Sprintf("%s is written while %s is held for reading only, as other goroutines may hold it", name, u.lock),
	})
}

func exclusive(s lockset.Set) bool {
	return slices.ContainsFunc(s, func(h lockset.Held) bool { return !h.Reading })
}

func (c *checker) unguarded(f lockset.Class, u use, guard lockset.Class, lock lockset.Path, uses []use, with int) {
	name, id := location(u.Access)
	if c.reported[id] || !u.Instr.Pos().IsValid() || known(u.fn) {
		return
	}
	verb := "read"
	if u.Write {
		verb = "written"
	}
	short := lock.Field()
	d := analysis.Diagnostic{
		Pos: u.Instr.Pos(), Category: "lock",
		Message:        fmt.Sprintf("%s is %s%s without %s, which is held elsewhere", name, verb, by(u.Access), short),
		SuggestedFixes: c.takeLock(u, lock),
	}
	for _, o := range uses {
		if o.guard == guard && (o.Write && !o.read || !u.Write) && o.Instr.Pos().IsValid() {
			what := "read"
			if o.Write {
				what = "written"
			}
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: o.Instr.Pos(), Message: fmt.Sprintf("it is %s with %s held here, and so in %d functions", what, short, with)})
			break
		}
	}
	c.pass.Report(d)
}

// known tells whether fn is a method that others call with their lock held, as package
// container/heap does, or that is for debugging.
func known(fn *ssa.Function) bool {
	switch fn.Name() {
	case "Len", "Less", "Swap", "Push", "Pop", "String", "GoString", "Error", "MarshalJSON", "Format":
		return fn.Signature.Recv() != nil
	}
	return false
}

// takeLock is the fix for a method that only computes: nothing in it can wait, or take the
// lock again, and no caller holds it.
func (c *checker) takeLock(u use, lock lockset.Path) []analysis.SuggestedFix {
	decl, ok := u.fn.Syntax().(*ast.FuncDecl)
	if !ok || len(u.fn.Params) == 0 || u.Path.Root != ssa.Value(u.fn.Params[0]) || decl.Recv == nil || strings.ContainsAny(lock.Sel, "[") {
		return nil
	}
	write := false
	for _, b := range u.fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Call:
				if _, builtin := i.Call.Value.(*ssa.Builtin); !builtin {
					return nil
				}
			case *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Defer, *ssa.MakeClosure:
				return nil
			case *ssa.UnOp:
				if i.CommaOk {
					return nil
				}
			case *ssa.Store:
				_, own := lockset.PathOf(i.Addr).Root.(*ssa.Alloc)
				write = write || !own
			case *ssa.MapUpdate:
				write = true
			}
		}
	}
	method := "Lock"
	if !write && c.readable(lock) {
		method = "RLock"
	}
	name := decl.Recv.List[0].Names[0].Name + strings.ReplaceAll(lock.Sel, "*", "")
	pos := decl.Body.List[0].Pos()
	text := fmt.Sprintf("%s.%s()\n\tdefer %s.%s()\n\t", name, method, name, strings.Replace(method, "Lock", "Unlock", 1))
	return []analysis.SuggestedFix{{
		Message:   "Take the lock",
		TextEdits: []analysis.TextEdit{{Pos: pos, End: pos, NewText: []byte(text)}},
	}}
}

// readable tells whether the lock is an RWMutex: the package takes it for reading somewhere.
func (c *checker) readable(lock lockset.Path) bool {
	class := lockset.ClassOf(lock)
	for _, fn := range c.result.Functions() {
		for _, a := range c.result.Of(fn).Acquires {
			if a.Lock.Reading && lockset.ClassOf(a.Lock.Lock) == class {
				return true
			}
		}
	}
	return false
}
