package blocked

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// checkChannel reports what is wrong with the channel that mk makes.
func checkChannel(pass *analysis.Pass, mk *ssa.MakeChan) {
	ch := trackChannel(mk)
	if ch.escapes || !mk.Pos().IsValid() || inTest(pass, mk.Pos()) {
		return
	}
	checkEarlyReturn(pass, ch)
	if ch.handed {
		return
	}
	if len(ch.order) == 1 {
		checkAlone(pass, ch)
		return
	}
	if fn := mk.Parent(); fn.Name() == "main" && fn.Pkg.Pkg.Name() == "main" {
		return
	}
	checkNeverClosed(pass, ch)
	for _, t := range ch.order {
		if t.start == nil {
			continue
		}
		for _, o := range t.ops {
			switch {
			case o.kind == send && o.plain():
				checkSend(pass, ch, t, o)
			case o.kind == receive && o.plain():
				checkReceive(pass, ch, t, o)
			}
		}
	}
}

// only returns the thread that alone does one of kinds; nil if there is none or several, or
// if it is t.
func (ch *channel) only(t *thread, kinds ...opKind) *thread {
	var only *thread
	for _, other := range ch.order {
		for _, k := range kinds {
			if other.has(k) {
				if only != nil && only != other {
					return nil
				}
				only = other
			}
		}
	}
	if only == t {
		return nil
	}
	return only
}

// begin is where the path of partner begins that t depends on: where t is started, if it is
// partner that starts it, else partner's entry.
func begin(t, partner *thread) ssa.Instruction {
	if t.start.Parent() == partner.fn {
		return t.start
	}
	return nil
}

// checkSend reports a send of t that the receiving thread may abandon.
func checkSend(pass *analysis.Pass, ch *channel, t *thread, o *op) {
	receiver := ch.only(t, receive)
	if receiver == nil || ch.capacity < 0 {
		return
	}
	many := inLoop(o.instr, nil) || inLoop(t.start, ch.mk) && !oneByOne(t, receiver)
	if !many && ch.capacity > 0 {
		return
	}
	s := &search{
		met:     func(i ssa.Instruction) bool { return !many && receiver.does(i, receive) },
		metEdge: func(from, to *ssa.BasicBlock) bool { return receiver.received(from, to, many) },
		restart: restart(ch, receiver),
	}
	end := s.from(receiver.fn, begin(t, receiver))
	if end == nil {
		return
	}
	name := nameOf(pass, ch.mk)
	report(pass, "leak", o.instr, end,
		fmt.Sprintf("the goroutine may wait forever to send to %s: the only receiver can return before it receives", name),
		"returns without receiving", bufferFix(pass, ch, many))
}

// oneByOne tells whether the receiver, which starts t in a loop, receives before it does so again.
func oneByOne(t, receiver *thread) bool {
	s := &search{
		met:     func(i ssa.Instruction) bool { return receiver.does(i, receive) },
		metEdge: func(from, to *ssa.BasicBlock) bool { return receiver.received(from, to, false) },
	}
	return !s.reaches(t.start, t.start)
}

// restart is where a path of t ends because the channel is made anew.
func restart(ch *channel, t *thread) ssa.Instruction {
	if ch.mk.Parent() == t.fn {
		return ch.mk
	}
	return nil
}

// does tells whether instr is a plain operation of t of kind k.
func (t *thread) does(instr ssa.Instruction, k opKind) bool {
	for _, o := range t.ops {
		if o.instr == instr && o.kind == k && o.plain() {
			return true
		}
	}
	return false
}

// received tells whether the way from one block to the next means that t has received; if
// many values are sent, that it has received all of them: it saw the channel closed, or
// a loop that receives came to its regular end.
func (t *thread) received(from, to *ssa.BasicBlock, many bool) bool {
	for _, o := range t.ops {
		if o.kind != receive {
			continue
		}
		if closedEdge(from, to, o.instr.(ssa.Value)) {
			return true
		}
		if o.sel != nil && !many && chosen(from, to, o.sel, o.state) {
			return true
		}
		header, loop := loopOf(o.instr.Block())
		if skipsLoop(from, to, loop) || endsCount(from, to, header, loop) {
			return true
		}
		if header == from && loop != nil && !loop[to] && header != o.instr.Block() && counts(header) {
			return true
		}
	}
	return false
}

// skipsLoop tells whether the way from one block to the next passes by the loop because it has no
// round at all, as in "for range n" where n is 0.
func skipsLoop(from, to *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	if loop == nil || loop[from] || loop[to] || len(from.Succs) != 2 || !loop[from.Succs[0]] && !loop[from.Succs[1]] {
		return false
	}
	cond, ok := condition(from).(*ssa.BinOp)
	if !ok || cond.Op != token.LSS {
		return false
	}
	zero, ok := cond.X.(*ssa.Const)
	return ok && zero.Value != nil && zero.Value.ExactString() == "0"
}

// endsCount tells whether the way from one block to the next leaves a loop such as "for range n",
// which looks at its end whether there is another round, after the last one.
func endsCount(from, to, header *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	if !loop[from] || loop[to] || from.Succs[0] != header {
		return false
	}
	cond, ok := condition(from).(*ssa.BinOp)
	if !ok || cond.Op != token.LSS {
		return false
	}
	next, ok := cond.X.(*ssa.BinOp)
	if !ok || next.Op != token.ADD {
		return false
	}
	counter, ok := next.X.(*ssa.Phi)
	return ok && counter.Block() == header
}

// counts tells whether the loop's header decides by something else than what a channel
// operation yielded.
func counts(header *ssa.BasicBlock) bool {
	switch cond := condition(header).(type) {
	case nil:
		return false
	case *ssa.Extract:
		// The next element of a map or string, but not the result of an operation.
		_, next := cond.Tuple.(*ssa.Next)
		return next
	}
	return true
}

// bufferFix makes room for the one value that is sent.
func bufferFix(pass *analysis.Pass, ch *channel, many bool) []analysis.SuggestedFix {
	sends := 0
	for _, t := range ch.order {
		for _, o := range t.ops {
			if o.kind == send {
				sends++
			}
		}
	}
	call, _ := makeCall(pass, ch.mk.Pos())
	if many || sends != 1 || ch.length || call == nil || len(call.Args) != 1 {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "Give the channel room for the value",
		TextEdits: []analysis.TextEdit{{Pos: call.Args[0].End(), End: call.Args[0].End(), NewText: []byte(", 1")}},
	}}
}

// checkReceive reports a receive of t whose value may never be sent.
func checkReceive(pass *analysis.Pass, ch *channel, t *thread, o *op) {
	sender := ch.only(t, send, closing)
	if sender == nil || ch.length {
		return
	}
	ranges := o.commaOk && inLoop(o.instr, nil)
	if !ranges && inLoop(o.instr, nil) {
		return // how many values it needs is not known
	}
	if ranges && !sender.has(closing) {
		return // checkNeverClosed
	}
	from := begin(t, sender)
	if sender.endsBefore(from, !ranges) {
		return
	}
	s := &search{
		met: func(i ssa.Instruction) bool { return sender.ends(i, !ranges) },
		metEdge: func(from, to *ssa.BasicBlock) bool {
			for _, o := range sender.ops {
				if o.sel != nil && o.kind == send && !ranges && chosen(from, to, o.sel, o.state) {
					return true
				}
			}
			return false
		},
		restart: restart(ch, sender),
	}
	end := s.from(sender.fn, from)
	if end == nil {
		return
	}
	name := nameOf(pass, ch.mk)
	message := fmt.Sprintf("the goroutine may wait forever to receive from %s: the only sender can return before it sends or closes it", name)
	if ranges {
		message = fmt.Sprintf("the goroutine may range over %s forever: the only function that closes it can return before it does", name)
	}
	report(pass, "leak", o.instr, end, message, "returns without sending or closing", nil)
}

// endsBefore tells whether t closes the channel, or sends if that is enough, on its way to
// start, or has deferred the close there.
func (t *thread) endsBefore(start ssa.Instruction, sending bool) bool {
	for _, o := range t.ops {
		if start == nil || o.kind == receive || o.kind == send && !sending {
			continue
		}
		if b := o.instr.Block(); b.Dominates(start.Block()) && (b != start.Block() || o.instr.Pos() < start.Pos()) {
			return true
		}
	}
	return false
}

// ends tells whether at instr t closes the channel, or sends if that is enough.
func (t *thread) ends(instr ssa.Instruction, sending bool) bool {
	for _, o := range t.ops {
		if o.instr == instr && o.plain() && (o.kind == closing || o.kind == send && sending) {
			return true
		}
	}
	return false
}

// checkNeverClosed reports loops over a channel that nobody closes.
func checkNeverClosed(pass *analysis.Pass, ch *channel) {
	for _, t := range ch.order {
		if t.has(closing) {
			return
		}
	}
	for _, t := range ch.order {
		for _, o := range t.ops {
			if o.kind != receive || !o.plain() || !o.commaOk || !endsOnlyClosed(o) {
				continue
			}
			report(pass, "noclose", o.instr, nil,
				fmt.Sprintf("the loop over %s never ends: nobody closes it", nameOf(pass, ch.mk)), "", nil)
		}
	}
}

// endsOnlyClosed tells whether the loop around the receive ends only when the channel is
// closed.
func endsOnlyClosed(o *op) bool {
	_, loop := loopOf(o.instr.Block())
	if loop == nil {
		return false
	}
	for b := range loop {
		last := b.Instrs[len(b.Instrs)-1]
		if _, ok := last.(*ssa.Return); ok {
			return false
		}
		for _, instr := range b.Instrs {
			if neverReturns(instr) {
				return false
			}
		}
		for _, next := range b.Succs {
			if !loop[next] && !closedEdge(b, next, o.instr.(ssa.Value)) {
				return false
			}
		}
	}
	return true
}

// checkAlone reports operations on an unbuffered channel that only one function knows.
func checkAlone(pass *analysis.Pass, ch *channel) {
	t := ch.order[0]
	if ch.capacity != 0 || t.has(closing) || ch.length {
		return
	}
	for _, o := range t.ops {
		// A lone receive is a way to wait forever, as select {} is.
		if o.plain() && (o.kind == send || t.has(send)) {
			verb := "send to"
			if o.kind == receive {
				verb = "receive from"
			}
			report(pass, "nopartner", o.instr, nil,
				fmt.Sprintf("the %s %s never ends: no other goroutine knows the channel, and it has no buffer", verb, nameOf(pass, ch.mk)), "", nil)
			return
		}
	}
}

// checkEarlyReturn reports a goroutine that closes the channel at its end but also returns
// before.
func checkEarlyReturn(pass *analysis.Pass, ch *channel) {
	closer := ch.only(nil, closing)
	if closer == nil || closer.start == nil || !ch.ranged() {
		return
	}
	var last *op
	for _, o := range closer.ops {
		if o.kind == closing {
			if o.deferred || last != nil {
				return
			}
			last = o
		}
	}
	s := &search{met: func(i ssa.Instruction) bool { return i == last.instr }}
	end := s.from(closer.fn, nil)
	if end == nil {
		return
	}
	report(pass, "noclose", last.instr, end,
		fmt.Sprintf("the goroutine can return without closing %s, which it closes at its end: who ranges over it waits forever", nameOf(pass, ch.mk)),
		"returns without closing", deferFix(pass, closer.fn, last.instr))
}

// ranged tells whether somebody is known to range over the channel, or may.
func (ch *channel) ranged() bool {
	if ch.handed {
		return true
	}
	for _, t := range ch.order {
		for _, o := range t.ops {
			if o.kind == receive && o.commaOk && inLoop(o.instr, nil) {
				return true
			}
		}
	}
	return false
}

// deferFix defers the call that is the last statement of fn.
func deferFix(pass *analysis.Pass, fn *ssa.Function, call ssa.Instruction) []analysis.SuggestedFix {
	body := bodyOf(fn)
	if body == nil || len(body.List) < 2 {
		return nil
	}
	last, ok := body.List[len(body.List)-1].(*ast.ExprStmt)
	if !ok || call.Pos() < last.Pos() || call.Pos() > last.End() {
		return nil
	}
	file := pass.Fset.File(last.Pos())
	text, err := pass.ReadFile(file.Name())
	if err != nil {
		return nil
	}
	stmt := text[file.Offset(last.Pos()):file.Offset(last.End())]
	first, before := body.List[0], body.List[len(body.List)-2]
	return []analysis.SuggestedFix{{
		Message: "Defer it",
		TextEdits: []analysis.TextEdit{
			{Pos: first.Pos(), End: first.Pos(), NewText: []byte("defer " + string(stmt) + "\n")},
			{Pos: before.End(), End: last.End()},
		},
	}}
}

func bodyOf(fn *ssa.Function) *ast.BlockStmt {
	switch n := fn.Syntax().(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

func report(pass *analysis.Pass, category string, at, end ssa.Instruction, message, related string, fixes []analysis.SuggestedFix) {
	d := analysis.Diagnostic{Pos: at.Pos(), Category: category, Message: message, SuggestedFixes: fixes}
	if sel, ok := at.(*ssa.Select); ok {
		d.Pos = sel.Pos()
	}
	if !d.Pos.IsValid() {
		return
	}
	if end != nil && end.Pos().IsValid() {
		d.Related = []analysis.RelatedInformation{{Pos: end.Pos(), Message: related}}
	}
	pass.Report(d)
}
