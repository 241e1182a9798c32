package blocked

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An opKind is what is done to a channel.
type opKind int

const (
	send opKind = iota
	receive
	closing
)

// An op is one operation on the channel.
type op struct {
	kind     opKind
	instr    ssa.Instruction
	sel      *ssa.Select // that it is a case of, or nil
	state    int         // index of the case
	commaOk  bool        // the receive tells whether the channel is closed
	deferred bool        // the close is deferred
}

// plain tells whether op blocks until it is done.
func (o *op) plain() bool { return o.sel == nil }

// A thread is a function that operates on the channel.
type thread struct {
	fn    *ssa.Function
	start ssa.Instruction // that starts it as a goroutine; nil for the function that makes the channel
	ops   []*op
}

func (t *thread) has(k opKind) bool {
	for _, o := range t.ops {
		if o.kind == k {
			return true
		}
	}
	return false
}

// A channel is all that is known of one that make returns.
type channel struct {
	mk       *ssa.MakeChan
	capacity int64 // -1 if not constant
	threads  map[*ssa.Function]*thread
	order    []*thread // the maker first
	escapes  bool      // there may be operations that are not known
	handed   bool      // the maker returns it, for receiving only
	length   bool      // len or cap is asked for
}

// tracker follows the channel through variables, closures and parameters.
type tracker struct {
	ch   *channel
	seen map[ssa.Value]bool
}

// trackChannel finds the operations on what mk makes.
func trackChannel(mk *ssa.MakeChan) *channel {
	ch := &channel{mk: mk, capacity: -1, threads: make(map[*ssa.Function]*thread)}
	if c, ok := mk.Size.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
		ch.capacity = c.Int64()
	}
	ch.thread(mk.Parent(), nil)
	t := &tracker{ch, make(map[ssa.Value]bool)}
	t.value(mk)
	return ch
}

// thread returns that of fn; start tells how it is started if it is not known yet.
func (ch *channel) thread(fn *ssa.Function, start ssa.Instruction) *thread {
	t := ch.threads[fn]
	if t == nil {
		t = &thread{fn: fn, start: start}
		ch.threads[fn] = t
		ch.order = append(ch.order, t)
	} else if start != nil && t.start != start {
		ch.escapes = true // started twice, or by itself
	}
	return t
}

func (t *tracker) add(o *op) {
	th := t.ch.threads[o.instr.Parent()]
	if th == nil {
		t.ch.escapes = true // a function that is called, not started
		return
	}
	th.ops = append(th.ops, o)
}

// value follows v, which is the channel.
func (t *tracker) value(v ssa.Value) {
	if t.seen[v] || t.ch.escapes {
		return
	}
	t.seen[v] = true
	for _, ref := range *v.Referrers() {
		t.use(v, ref)
	}
}

func (t *tracker) use(v ssa.Value, ref ssa.Instruction) {
	switch ref := ref.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
	case *ssa.Send:
		if ref.X == v {
			t.ch.escapes = true
			return
		}
		t.add(&op{kind: send, instr: ref})
	case *ssa.UnOp:
		t.add(&op{kind: receive, instr: ref, commaOk: ref.CommaOk})
	case *ssa.Select:
		t.selectCases(v, ref)
	case *ssa.ChangeType:
		t.value(ref)
	case *ssa.Store:
		if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
			t.cell(cell)
		} else {
			t.ch.escapes = true
		}
	case *ssa.Return:
		if c, ok := v.Type().Underlying().(*types.Chan); ok && c.Dir() == types.RecvOnly && ref.Parent() == t.ch.mk.Parent() {
			t.ch.handed = true
		} else {
			t.ch.escapes = true
		}
	case *ssa.MakeClosure:
		t.closure(v, ref)
	case ssa.CallInstruction:
		t.call(v, ref)
	default:
		t.ch.escapes = true
	}
}

func (t *tracker) selectCases(v ssa.Value, sel *ssa.Select) {
	for i, s := range sel.States {
		switch {
		case s.Send == v:
			t.ch.escapes = true
		case s.Chan != v:
		case s.Dir == types.SendOnly:
			t.add(&op{kind: send, instr: sel, sel: sel, state: i})
		default:
			t.add(&op{kind: receive, instr: sel, sel: sel, state: i})
		}
	}
}

// cell follows a variable that holds the channel and nothing else.
func (t *tracker) cell(addr ssa.Value) {
	if t.seen[addr] {
		return
	}
	t.seen[addr] = true
	stores := 0
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if stores++; ref.Val == addr || stores > 1 || !t.seen[ref.Val] {
				t.ch.escapes = true
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				t.value(ref)
			}
		case *ssa.MakeClosure:
			t.closure(addr, ref)
		default:
			t.ch.escapes = true
		}
	}
}

// closure follows v, the channel or the variable that holds it, into the function literal.
func (t *tracker) closure(v ssa.Value, mc *ssa.MakeClosure) {
	fn := mc.Fn.(*ssa.Function)
	start := startOf(mc)
	if start == nil || fn.Synthetic != "" {
		t.ch.escapes = true
		return
	}
	t.ch.thread(fn, start)
	for i, b := range mc.Bindings {
		if b != v {
			continue
		}
		if _, isChan := v.Type().Underlying().(*types.Chan); isChan {
			t.value(fn.FreeVars[i])
		} else {
			t.cell(fn.FreeVars[i])
		}
	}
}

// startOf returns the instruction that starts the goroutine, or nil if the closure is used in
// any other way.
func startOf(mc *ssa.MakeClosure) ssa.Instruction {
	var start ssa.Instruction
	for _, ref := range *mc.Referrers() {
		if _, ok := ref.(*ssa.DebugRef); ok {
			continue
		}
		if start != nil {
			return nil
		}
		start = ref
	}
	switch s := start.(type) {
	case *ssa.Go:
		if s.Call.Value == mc {
			return s
		}
	case *ssa.Call:
		if s.Call.Value != mc && startsGoroutine(&s.Call) {
			return s
		}
	}
	return nil
}

// startsGoroutine tells whether c is a call of a method Go with one argument, as of
// sync.WaitGroup and errgroup.Group and what is modelled after them.
func startsGoroutine(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return c.Method.Name() == "Go" && len(c.Args) == 1
	}
	fn := c.StaticCallee()
	return fn != nil && fn.Name() == "Go" && fn.Signature.Recv() != nil && len(c.Args) == 2
}

// call follows the channel into a builtin or a function of the package that is started as a
// goroutine.
func (t *tracker) call(v ssa.Value, instr ssa.CallInstruction) {
	common := instr.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			t.ch.length = true
		case "close":
			_, deferred := instr.(*ssa.Defer)
			t.add(&op{kind: closing, instr: instr, deferred: deferred})
		default:
			t.ch.escapes = true
		}
		return
	}
	fn := common.StaticCallee()
	if _, ok := instr.(*ssa.Go); !ok || fn == nil || fn.Blocks == nil || fn.Origin() != nil || len(fn.Params) != len(common.Args) {
		t.ch.escapes = true
		return
	}
	t.ch.thread(fn, instr)
	for i, arg := range common.Args {
		if arg == v {
			t.value(fn.Params[i])
		}
	}
}
