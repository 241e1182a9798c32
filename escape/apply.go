package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// apply adds a call of fn with the given arguments at s. closure is the node of the
// function's literal, if it has captured variables; result receives its results.
func (e *engine) apply(s *callSite, fn *ssa.Function, closure *loc, args []value, result *loc) {
	if !e.hasBody(fn) {
		e.opaque(s, fn, args, result)
		return
	}
	caller := e.current
	g := e.analyse(fn)
	e.current = caller
	e.edge(s, fn)
	if !g.closed {
		e.recurse(s, g, closure, args, result)
		return
	}
	if !e.tellsApart(s, g.unit) {
		e.merge(g.unit)
	}
	c := &cloner{e: e, s: s, g: g, nodes: make(map[*loc]*loc)}
	// All that the callee leaves is copied, needed or not: it is judged in the caller.
	for i, p := range g.params {
		l := c.clone(p)
		if i < len(args) {
			e.copyTo(l, args[i].loc, fn.Params[i].Type())
		}
	}
	for i, v := range g.free {
		l := c.clone(v)
		if closure != nil {
			e.copyTo(l, e.field(closure, i), fn.FreeVars[i].Type())
		}
	}
	if l := c.clone(g.results); result != nil {
		e.results(result, l, fn.Signature.Results())
	}
	c.rest()
}

// results connects a callee's results with the value of the call.
func (e *engine) results(dst, tuple *loc, t *types.Tuple) {
	if t.Len() == 1 {
		e.copyTo(dst, e.field(tuple, 0), t.At(0).Type())
	} else {
		e.copyTo(dst, tuple, t)
	}
}

// recurse adds a call of a function whose analysis has not ended: they share one graph.
func (e *engine) recurse(s *callSite, g *function, closure *loc, args []value, result *loc) {
	if f := e.current; f != nil {
		f.low = min(f.low, g.index, g.low)
		g.recursive = true
		f.recursive = true
	}
	for i, p := range g.params {
		if i >= len(args) {
			break
		}
		e.copyTo(p, args[i].loc, g.fn.Params[i].Type())
		if s.spawn || s.who != nil {
			mark(args[i].loc, false, true)
			mark(p, false, true)
		}
	}
	for i, v := range g.free {
		if closure == nil {
			break
		}
		e.copyTo(v, e.field(closure, i), g.fn.FreeVars[i].Type())
		if s.spawn || s.who != nil {
			mark(v, false, true)
		}
	}
	if result != nil {
		e.results(result, g.results, g.fn.Signature.Results())
	}
	s.frame.transfer.inner = append(s.frame.transfer.inner, s)
}

// edge notes who calls whom, for what is known about package-level variables.
func (e *engine) edge(s *callSite, to *ssa.Function) {
	var from *ssa.Function
	if s.frame != nil {
		from = s.frame.fn
	}
	k := edge{from, to, s.spawn || s.who != nil}
	var locks []*loc
	if !k.spawn && !s.later {
		for _, l := range s.locks {
			if !l.reading {
				locks = append(locks, l.lock)
			}
		}
	}
	if !e.edges[k] {
		e.edges[k] = true
		e.edgeLocks[k] = locks
		return
	}
	e.edgeLocks[k] = slices.DeleteFunc(e.edgeLocks[k], func(l *loc) bool {
		return !slices.ContainsFunc(locks, func(m *loc) bool { return l.find() == m.find() })
	})
}

// cloner copies the part of a callee's graph that its callers can reach into the graph
// of a caller.
type cloner struct {
	e     *engine
	s     *callSite
	g     *function
	nodes map[*loc]*loc
}

func (c *cloner) clone(n *loc) *loc {
	n = n.find()
	if n.global {
		return n
	}
	if m := c.nodes[n]; m != nil {
		return m.find()
	}
	m := c.e.newLoc(nil)
	m.escaped, m.foreign, m.tried, m.stale, m.text = n.escaped, n.foreign, n.tried, n.stale, n.text
	c.nodes[n] = m
	if n.escaped { // so is all that it leads to, and all that has been judged
		return m
	}
	m.fns = append(m.fns, n.fns...)
	m.types = append(m.types, n.types...)
	m.inner = []*loc{n}
	c.e.spend(len(n.accesses))
	for _, a := range n.accesses {
		m.accesses = append(m.accesses, c.access(a))
	}
	for _, o := range n.origins {
		m.addOrigin(c.origin(o))
	}
	for k, f := range n.fields {
		g := c.clone(f)
		m := m.find()
		if m.fields == nil {
			m.fields = make(map[int]*loc)
		}
		m.fields[k] = g
	}
	if n.target != nil {
		m.find().target = c.clone(n.target)
	}
	return m.find()
}

// origin is that of a callee's memory, seen from the caller.
func (c *cloner) origin(o origin) origin {
	if o.of != nil && (o.of.find().outside || o.of.find().global) {
		return origin{of: c.clone(o.of), key: o.key}
	}
	many := o.many || o.of != nil && (o.key < 0 || !o.of.single())
	c.e.origins++
	return origin{id: c.e.origins, at: c.s.at, global: o.global, many: many || c.s.many || c.s.frame.recursive || c.s.frame.flow.loops(c.s.at, nil)}
}

// access is a callee's access, seen from the caller.
func (c *cloner) access(a access) access {
	s := c.s
	b := access{site: a.site, write: a.write, atomic: a.atomic, deep: a.deep, frame: s.frame, at: s.at, group: a.group, start: a.start, bare: a.bare, vague: s.vague}
	b.path = c.path(a.path)
	b.who = c.e.inFrame(s, c.g, a.who, b.path)
	b.early = a.early && a.who == nil && !s.later && !s.behind && !s.frame.recursive
	b.leaked = a.leaked || s.leaked || a.who != nil || s.frame.recursive
	for _, h := range a.locks {
		switch l := h.lock.find(); {
		case l.global, l.outside:
			b.locks = append(b.locks, heldLock{lock: c.clone(l), reading: h.reading, beside: h.beside, others: c.locks(h.others), name: h.name})
		case h.beside != "": // the lock is a part of the object, whatever that is called here
			h.others = c.locks(h.others)
			b.locks = append(b.locks, h)
		}
	}
	if a.who == nil && !s.spawn {
		locks := s.before
		if a.bare {
			locks = s.locks
		}
		for _, l := range locks {
			b.locks = append(b.locks, heldLock{lock: l.lock, reading: l.reading, beside: beside(b.path, l.path), name: l.name})
		}
	}
	b.locks = distinctLocks(b.locks)
	return b
}

// locks are those of a callee, seen from the caller if that can reach them.
func (c *cloner) locks(all []*loc) []*loc {
	var out []*loc
	for _, l := range all {
		if l = l.find(); l.global || l.outside {
			l = c.clone(l)
		}
		out = append(out, l)
	}
	return out
}

// manyLocks is the number of locks held at one access of which account is kept: to
// forget one is always safe.
const manyLocks = 8

func distinctLocks(all []heldLock) []heldLock {
	var out []heldLock
	for _, l := range all {
		same := func(m heldLock) bool {
			return m.lock.find() == l.lock.find() && m.reading == l.reading && m.beside == l.beside && slices.Equal(m.others, l.others)
		}
		if len(out) < manyLocks && !slices.ContainsFunc(out, same) {
			out = append(out, l)
		}
	}
	return out
}

func distinctLocksAt(all []lockAt) []lockAt {
	var out []lockAt
	for _, l := range all {
		same := func(m lockAt) bool {
			return m.lock.find() == l.lock.find() && m.reading == l.reading && m.path == l.path
		}
		if len(out) < manyLocks && !slices.ContainsFunc(out, same) {
			out = append(out, l)
		}
	}
	return out
}

// path is a callee's path, seen from the caller; without Root if it has none there.
func (c *cloner) path(p lockset.Path) lockset.Path {
	var from lockset.Path
	switch v := p.Root.(type) {
	case *ssa.Parameter:
		if i := slices.Index(c.g.fn.Params, v); i >= 0 && i < len(c.s.paths) {
			from = c.s.paths[i]
		}
	case *ssa.FreeVar:
		if i := slices.Index(c.g.fn.FreeVars, v); i >= 0 && i < len(c.s.bounds) {
			from = c.s.bounds[i]
		}
	case *ssa.Global:
		return p
	}
	if from.Root == nil || len(from.Sel)+len(p.Sel) > 120 {
		return lockset.Path{}
	}
	return from.Join(p.Sel)
}

// rest adds what the callee leaves to its callers besides accesses.
func (c *cloner) rest() {
	e, s, f := c.e, c.s, c.s.frame
	u := c.g.unit
	if (u.starts || s.spawn) && s.at != nil {
		f.starts = append(f.starts, s.at)
		if s.vague {
			f.startsVaguely(s.at)
		}
	}
	if u.starts && s.spawn && s.at != nil {
		f.outlived[s.at] = true
	}
	for _, p := range u.pending {
		q := &pending{fn: c.clone(p.fn), method: p.method, methods: p.methods, by: p.by, sig: p.sig, instr: p.instr, site: c.inner(p.site), known: p.known, streams: p.streams, depth: p.depth}
		for _, a := range p.args {
			q.args = append(q.args, value{c.clone(a.loc), a.typ})
		}
		if p.result != nil {
			q.result = c.clone(p.result)
		}
		e.addPending(f, q)
	}
	c.handOver(u)
	for _, d := range u.deep {
		f.deep = append(f.deep, deepUse{root: c.clone(d.root), write: d.write, acc: c.access(d.acc)})
	}
}

// inner is a call in the callee, seen from the caller.
func (c *cloner) inner(in callSite) callSite {
	s := c.s
	out := callSite{frame: s.frame, at: s.at, who: s.who, spawn: in.spawn, many: in.many || s.many, later: in.later || s.later, loose: true, vague: true, behind: in.behind || s.behind, leaked: in.leaked || s.leaked}
	if in.who != nil || s.spawn {
		out.who = c.e.inFrame(s, c.g, in.who, lockset.Path{})
	}
	for _, l := range in.locks {
		if k := l.lock.find(); k.global || k.outside {
			out.locks = append(out.locks, lockAt{c.clone(k), l.reading, c.path(l.path), l.name})
		}
	}
	if in.who == nil && !s.spawn && !in.spawn {
		out.locks = append(out.locks, s.locks...)
	}
	out.locks = distinctLocksAt(out.locks)
	out.before = out.locks
	for _, p := range in.paths {
		out.paths = append(out.paths, c.path(p))
	}
	for _, p := range in.bounds {
		out.bounds = append(out.bounds, c.path(p))
	}
	return out
}
