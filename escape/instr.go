package escape

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// instr adds what an instruction does to the graph.
func (e *engine) instr(f *function, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		e.point(f, i.(ssa.Value), e.alloc(f, i))
	case *ssa.FieldAddr:
		e.point(f, i, e.field(e.deref(e.val(f, i.X)), i.Field))
	case *ssa.Field:
		e.copyTo(e.val(f, i), e.field(e.val(f, i.X), i.Field), i.Type())
	case *ssa.IndexAddr:
		e.point(f, i, e.elements(f, i.X))
	case *ssa.Index:
		e.copyTo(e.val(f, i), e.field(e.val(f, i.X), elem), i.Type())
	case *ssa.Slice:
		e.slice(f, i)
	case *ssa.SliceToArrayPointer:
		array := e.newLoc(nil)
		e.point(f, i, array)
		e.unify(e.field(array, elem), e.deref(e.val(f, i.X)))
	case *ssa.UnOp:
		e.unary(f, i)
	case *ssa.Store:
		addr := e.deref(e.val(f, i.Addr))
		e.copyTo(addr, e.val(f, i.Val), i.Val.Type())
		e.access(f, i, addr, i.Val.Type(), lockset.PathOf(i.Addr), true)
		e.overwrite(f, i, addr)
	case *ssa.Phi:
		for _, v := range i.Edges {
			e.copyTo(e.val(f, i), e.val(f, v), i.Type())
		}
	case *ssa.ChangeType:
		e.copyTo(e.val(f, i), e.val(f, i.X), i.Type())
	case *ssa.ChangeInterface:
		e.copyTo(e.val(f, i), e.val(f, i.X), i.Type())
	case *ssa.Convert:
		e.convert(f, i, i.X)
	case *ssa.MultiConvert:
		e.convert(f, i, i.X)
	case *ssa.MakeInterface:
		e.makeInterface(f, i)
	case *ssa.TypeAssert:
		e.typeAssert(f, i)
	case *ssa.Extract:
		e.copyTo(e.val(f, i), e.field(e.val(f, i.Tuple), i.Index), i.Type())
	case *ssa.MakeClosure:
		l := e.alloc(f, i)
		l.addFn(i.Fn.(*ssa.Function))
		e.point(f, i, l)
		for n, b := range i.Bindings {
			e.copyTo(e.field(e.deref(e.val(f, i)), n), e.val(f, b), b.Type())
		}
	case *ssa.Return:
		for n, v := range i.Results {
			e.copyTo(e.field(f.results, n), e.val(f, v), v.Type())
		}
	case *ssa.Panic:
		e.copyTo(e.thrown, e.val(f, i.X), i.X.Type())
	case *ssa.Call, *ssa.Go, *ssa.Defer:
		e.call(f, i.(ssa.CallInstruction))
	default:
		e.container(f, i)
	}
}

// container is instr for maps and channels.
func (e *engine) container(f *function, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.MapUpdate:
		m := e.deref(e.val(f, i.Map))
		e.copyTo(e.field(m, mapKey), e.val(f, i.Key), i.Key.Type())
		e.copyTo(e.field(m, mapValue), e.val(f, i.Value), i.Value.Type())
		e.mapAccess(f, i, i.Map, true)
	case *ssa.Lookup:
		t, ok := i.X.Type().Underlying().(*types.Map)
		if !ok {
			return // a string
		}
		dst := e.val(f, i)
		if i.CommaOk {
			dst = e.field(dst, 0)
		}
		e.copyTo(dst, e.field(e.deref(e.val(f, i.X)), mapValue), t.Elem())
		e.mapAccess(f, i, i.X, false)
	case *ssa.Range:
		e.copyTo(e.val(f, i), e.val(f, i.X), i.X.Type())
	case *ssa.Next:
		if i.IsString {
			return
		}
		t := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
		m := e.deref(e.val(f, i.Iter))
		e.copyTo(e.field(e.val(f, i), 1), e.field(m, mapKey), t.Key())
		e.copyTo(e.field(e.val(f, i), 2), e.field(m, mapValue), t.Elem())
		e.mapAccess(f, i, i.Iter.(*ssa.Range).X, false)
	case *ssa.Send:
		e.copyTo(e.field(e.deref(e.val(f, i.Chan)), sent), e.val(f, i.X), i.X.Type())
		e.handOver(f, i, i.X)
		e.chanOp(f, i, syncop.Send, i.Chan)
	case *ssa.Select:
		n := 2
		for _, s := range i.States {
			ch := e.field(e.deref(e.val(f, s.Chan)), sent)
			t := s.Chan.Type().Underlying().(*types.Chan).Elem()
			if s.Dir == types.SendOnly {
				e.copyTo(ch, e.val(f, s.Send), t)
				e.handOver(f, i, s.Send)
				e.chanOp(f, i, syncop.Select, s.Chan)
			} else {
				e.copyTo(e.field(e.val(f, i), n), ch, t)
				n++
			}
		}
	case *ssa.DebugRef:
		e.debugRef(f, i)
	}
}

// elements returns the node of the elements of a slice, or of the array at a pointer.
func (e *engine) elements(f *function, v ssa.Value) *loc {
	l := e.deref(e.val(f, v))
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		if _, ok := p.Elem().Underlying().(*types.Array); ok {
			return e.field(l, elem)
		}
	}
	return l
}

func (e *engine) slice(f *function, i *ssa.Slice) {
	if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return
	}
	e.point(f, i, e.elements(f, i.X))
}

func (e *engine) unary(f *function, i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		from := e.deref(e.val(f, i.X))
		e.copyTo(e.val(f, i), from, i.Type())
		e.access(f, i, from, i.Type(), lockset.PathOf(i.X), false)
	case token.ARROW:
		e.chanOp(f, i, syncop.Receive, i.X)
		dst := e.val(f, i)
		if i.CommaOk {
			dst = e.field(dst, 0)
		}
		e.copyTo(dst, e.field(e.deref(e.val(f, i.X)), sent), i.X.Type().Underlying().(*types.Chan).Elem())
	}
}

// convert handles conversions; those by which pointers lose their type lead to places
// that the graph does not know.
func (e *engine) convert(f *function, v ssa.Value, x ssa.Value) {
	if isUnsafe(v.Type()) || isUnsafe(x.Type()) {
		e.copyTo(e.val(f, v), e.val(f, x), x.Type())
		if e.hasPointers(x.Type()) {
			e.lose(f, v.(ssa.Instruction), x)
		}
		mark(e.deref(e.val(f, v)), false, true)
		return
	}
	if e.hasPointers(x.Type()) && e.hasPointers(v.Type()) {
		e.copyTo(e.val(f, v), e.val(f, x), v.Type())
	}
	if _, ok := x.Type().Underlying().(*types.Slice); ok && !e.hasPointers(v.Type()) {
		e.object(f, v.(ssa.Instruction), x, false, kindElements)
	}
	if _, ok := v.Type().Underlying().(*types.Slice); ok { // a string's bytes
		bytes := e.alloc(f, v.(ssa.Instruction))
		bytes.text = true
		e.point(f, v, bytes)
	}
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func (e *engine) makeInterface(f *function, i *ssa.MakeInterface) {
	t := i.X.Type()
	if isPointerShaped(t) {
		e.copyTo(e.val(f, i), e.val(f, i.X), i.Type())
	} else {
		box := e.alloc(f, i)
		e.point(f, i, box)
		e.copyTo(e.deref(e.val(f, i)), e.val(f, i.X), t)
	}
	if e.deref(e.val(f, i)).addType(t) {
		e.changes++
	}
}

func (e *engine) typeAssert(f *function, i *ssa.TypeAssert) {
	dst := e.val(f, i)
	if i.CommaOk {
		dst = e.field(dst, 0)
	}
	src := e.val(f, i.X)
	switch {
	case types.IsInterface(i.AssertedType) || isPointerShaped(i.AssertedType):
		e.unify(e.deref(dst), e.deref(src))
	default:
		e.copyTo(dst, e.deref(src), i.AssertedType)
	}
}

// access notes that i reads or writes memory of type t at l.
func (e *engine) access(f *function, i ssa.Instruction, l *loc, t types.Type, path lockset.Path, write bool) {
	s := e.site(i, write)
	s.initial = !strings0(path.Sel) && f.flow.initial(path.Root, i)
	e.leaves(l, t, func(leaf *loc) {
		leaf.sites = append(leaf.sites, s)
		if !s.initial {
			e.add(f, leaf, access{site: s, write: write, path: path, frame: f, at: i, early: true, locks: e.heldAt(f, i, path)})
		}
	})
}

// add notes an access.
func (e *engine) add(f *function, l *loc, a access) {
	l = l.find()
	if l.escaped && len(l.accesses) >= evidenceEnough {
		return
	}
	if _, ok := a.at.(*ssa.Defer); ok {
		a.early = false // it also runs if something panics that would have waited for goroutines
	}
	l.accesses = append(l.accesses, a)
}

func strings0(sel string) bool {
	for i := range len(sel) {
		if sel[i] == '*' {
			return true
		}
	}
	return false
}

// mapAccess notes a use of the map m, which is one location.
func (e *engine) mapAccess(f *function, i ssa.Instruction, m ssa.Value, write bool) {
	e.object(f, i, m, write, kindMap)
}

// object notes a use of all that the map or slice v consists of.
func (e *engine) object(f *function, i ssa.Instruction, v ssa.Value, write bool, kind siteKind) {
	s := e.site(i, write)
	s.kind = kind
	path := lockset.PathOf(v)
	s.initial = !strings0(path.Sel) && f.flow.initial(path.Root, i)
	l := e.deref(e.val(f, v))
	note := func(leaf *loc) {
		leaf.sites = append(leaf.sites, s)
		if !s.initial {
			e.add(f, leaf, access{site: s, write: write, path: path, frame: f, at: i, early: true, locks: e.heldAt(f, i, path)})
		}
	}
	if sl, ok := v.Type().Underlying().(*types.Slice); ok {
		e.leaves(l, sl.Elem(), note)
	} else {
		note(l)
	}
}

type siteKind uint8

const (
	kindMemory siteKind = iota
	kindMap
	kindElements
	kindAtomic
)

// site returns the record of an access at i.
func (e *engine) site(i ssa.Instruction, write bool) *site {
	if s := e.sites[i]; s != nil {
		s.write = s.write || write
		return s
	}
	s := &site{instr: i, write: write}
	e.sites[i] = s
	if p := i.Pos(); p.IsValid() {
		e.placed[p] = append(e.placed[p], s)
	} else if p := nearby(i); p.IsValid() {
		e.hidden[p] = append(e.hidden[p], s)
	}
	return s
}

// nearby is the position of the first operand of i that has one.
func nearby(i ssa.Instruction) token.Pos {
	for range 8 {
		var x ssa.Value
		switch v := i.(type) {
		case *ssa.UnOp:
			x = v.X
		case *ssa.FieldAddr:
			x = v.X
		case *ssa.IndexAddr:
			x = v.X
		case *ssa.Store:
			x = v.Addr
		case *ssa.Next:
			x = v.Iter
		case *ssa.Range:
			x = v.X
		}
		if x == nil {
			return token.NoPos
		}
		if x.Pos().IsValid() {
			return x.Pos()
		}
		next, ok := x.(ssa.Instruction)
		if !ok {
			return token.NoPos
		}
		i = next
	}
	return token.NoPos
}

// debugRef notes which map an expression stands for, or which elements: maps are one
// location, and a range statement accesses elements without a position of its own.
func (e *engine) debugRef(f *function, i *ssa.DebugRef) {
	if i.IsAddr {
		return
	}
	var l *loc
	var t types.Type
	switch u := i.X.Type().Underlying().(type) {
	case *types.Slice:
		l, t = e.deref(e.val(f, i.X)), u.Elem()
	case *types.Pointer:
		a, ok := u.Elem().Underlying().(*types.Array)
		if !ok {
			return
		}
		l, t = e.field(e.deref(e.val(f, i.X)), elem), a.Elem()
	case *types.Map:
		l, t = e.deref(e.val(f, i.X)), types.Typ[types.Int] // one location
	default:
		return
	}
	path := lockset.PathOf(i.X)
	s := &site{instr: i, kind: kindElements, begins: !strings0(path.Sel) && f.flow.initial(path.Root, i)}
	e.ranged[i.Expr.Pos()] = append(e.ranged[i.Expr.Pos()], s)
	e.leaves(l, t, func(leaf *loc) { leaf.sites = append(leaf.sites, s) })
}

// heldAt returns the locks that are held at i, for an access to the location at path.
func (e *engine) heldAt(f *function, i ssa.Instruction, path lockset.Path) []heldLock {
	var out []heldLock
	for _, l := range e.locksAt(f, i) {
		out = append(out, heldLock{lock: l.lock, reading: l.reading, beside: beside(path, l.path), name: l.name})
	}
	return out
}

// locksAt returns the locks that are held when the call or other instruction is executed.
func (e *engine) locksAt(f *function, i ssa.Instruction) []lockAt {
	return e.located(f, i, f.heldBefore(i))
}

func (f *function) heldBefore(i ssa.Instruction) lockset.Set {
	if d, ok := i.(*ssa.Defer); ok {
		return f.locks.AtDeferred(d)
	}
	return f.held[i]
}

// callLocks returns the locks that are held throughout a call, and those that are held when it
// begins.
func (e *engine) callLocks(f *function, i ssa.CallInstruction) (throughout, before []lockAt) {
	held := f.heldBefore(i)
	kept := f.locks.Throughout(i.Common(), held)
	before = e.located(f, i, held)
	if len(kept) == len(held) {
		return before, before
	}
	return e.located(f, i, kept), before
}

// located returns where the locks are, and what else is like a lock that is held at i.
func (e *engine) located(f *function, i ssa.Instruction, held lockset.Set) []lockAt {
	var out []lockAt
	for _, h := range held {
		if l := e.locate(f, h.Lock); l != nil && !h.Dynamic {
			name := h.Lock.Field()
			if name == "" {
				name = h.Lock.String()
			}
			out = append(out, lockAt{l, h.Reading, h.Lock, name})
		}
	}
	for _, d := range f.onces {
		if d.at.Block() == i.Block() && f.flow.place[d.at] < f.flow.place[i] || d.at.Block() != i.Block() && d.at.Block().Dominates(i.Block()) {
			out = append(out, d.once)
		}
	}
	return out
}

// locate returns the node at a path; nil if it does not lead anywhere.
func (e *engine) locate(f *function, p lockset.Path) *loc {
	l := e.deref(e.val(f, p.Root))
	t := pointee(p.Root.Type())
	if _, ok := p.Root.Type().Underlying().(*types.Slice); ok {
		l = e.sliceAsArray(l)
	}
	for _, s := range p.Steps() {
		if t == nil {
			return nil
		}
		switch s[0] {
		case '.':
			st, ok := t.Underlying().(*types.Struct)
			n := -1
			for i := 0; ok && i < st.NumFields(); i++ {
				if st.Field(i).Name() == s[1:] {
					n = i
				}
			}
			if n < 0 {
				return nil
			}
			l, t = e.field(l, n), st.Field(n).Type()
		case '[':
			switch u := t.Underlying().(type) {
			case *types.Array:
				l, t = e.field(l, elem), u.Elem()
			default:
				return nil
			}
		case '*':
			switch u := t.Underlying().(type) {
			case *types.Pointer:
				l, t = e.deref(l), u.Elem()
			case *types.Slice:
				// The index that follows selects from the elements.
				l, t = e.deref(l), types.NewArray(u.Elem(), 0)
				l = e.sliceAsArray(l)
			default:
				return nil
			}
		}
	}
	return l
}

// sliceAsArray returns a node of which l, the elements of a slice, are the elements.
func (e *engine) sliceAsArray(l *loc) *loc {
	a := e.newLoc(l)
	a.fields = map[int]*loc{elem: l}
	return a
}

// pointee is what the pointer, or what a slice as an array, of type t leads to.
func pointee(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return types.NewArray(u.Elem(), 0)
	}
	return nil
}

// carriesPointer reports whether one of the values is a pointer.
func carriesPointer(values []ssa.Value) bool {
	for _, v := range values {
		if _, basic := v.Type().Underlying().(*types.Basic); !basic {
			return true
		}
	}
	return false
}
