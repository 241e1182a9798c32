package blocked

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A search looks for a path through a function that ends before a goal is met.
type search struct {
	met     func(ssa.Instruction) bool          // the goal is met here
	metEdge func(from, to *ssa.BasicBlock) bool // or on this way
	restart ssa.Instruction                     // the path ends here, too; may be nil
}

// from looks for a path from behind start to a return, and returns its end; nil if every path
// meets the goal, does not return, or ends the process. A nil start is the function's entry.
func (s *search) from(fn *ssa.Function, start ssa.Instruction) ssa.Instruction {
	seen := make(map[*ssa.BasicBlock]bool)
	var visit func(b *ssa.BasicBlock, instrs []ssa.Instruction) ssa.Instruction
	visit = func(b *ssa.BasicBlock, instrs []ssa.Instruction) ssa.Instruction {
		for _, instr := range instrs {
			if s.met(instr) {
				return nil
			}
			if _, ok := instr.(*ssa.Return); ok || s.restart != nil && instr == s.restart {
				return instr
			}
			if neverReturns(instr) {
				return nil
			}
		}
		for _, next := range b.Succs {
			if seen[next] || s.metEdge != nil && s.metEdge(b, next) {
				continue
			}
			seen[next] = true
			if end := visit(next, next.Instrs); end != nil {
				return end
			}
		}
		return nil
	}
	if start == nil {
		return visit(fn.Blocks[0], fn.Blocks[0].Instrs)
	}
	b := start.Block()
	for i, instr := range b.Instrs {
		if instr == start {
			return visit(b, b.Instrs[i+1:])
		}
	}
	return nil
}

// neverReturns tells whether instr ends the goroutine or the process.
func neverReturns(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Panic:
		return true
	case *ssa.Call:
		fn := instr.Call.StaticCallee()
		if fn == nil {
			return false
		}
		switch fn.RelString(nil) {
		case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln",
			"(*testing.common).Fatal", "(*testing.common).Fatalf", "(*testing.common).FailNow",
			"(*testing.common).Skip", "(*testing.common).Skipf", "(*testing.common).SkipNow":
			return true
		}
	}
	return false
}

// inLoop tells whether control can come from instr back to it without passing except.
func inLoop(instr, except ssa.Instruction) bool {
	s := &search{met: func(i ssa.Instruction) bool { return i == except }, restart: instr}
	// Returns end paths, too: look for one that ends at instr.
	return s.reaches(instr, instr)
}

// reaches tells whether a path leads from behind start to end without meeting the goal.
func (s *search) reaches(start, end ssa.Instruction) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var visit func(b *ssa.BasicBlock, instrs []ssa.Instruction) bool
	visit = func(b *ssa.BasicBlock, instrs []ssa.Instruction) bool {
		for _, instr := range instrs {
			if instr == end {
				return true
			}
			if s.met(instr) {
				return false
			}
		}
		for _, next := range b.Succs {
			if !seen[next] && (s.metEdge == nil || !s.metEdge(b, next)) {
				seen[next] = true
				if visit(next, next.Instrs) {
					return true
				}
			}
		}
		return false
	}
	b := start.Block()
	for i, instr := range b.Instrs {
		if instr == start {
			return visit(b, b.Instrs[i+1:])
		}
	}
	return false
}

// chosen tells whether the edge is taken only if the select took its case number state.
func chosen(from, to *ssa.BasicBlock, sel *ssa.Select, state int) bool {
	cond, ok := condition(from).(*ssa.BinOp)
	if !ok || cond.Op != token.EQL || to != from.Succs[0] {
		return false
	}
	x, ok := cond.X.(*ssa.Extract)
	k, isConst := cond.Y.(*ssa.Const)
	if !ok || !isConst || x.Tuple != sel || x.Index != 0 || k.Value == nil {
		return false
	}
	n, exact := constant.Int64Val(k.Value)
	return exact && n == int64(state)
}

// closedEdge tells whether the edge is taken only if the receive in tuple found the channel
// closed: v, ok := <-ch, or a case of a select.
func closedEdge(from, to *ssa.BasicBlock, tuple ssa.Value) bool {
	x, ok := condition(from).(*ssa.Extract)
	return ok && x.Tuple == tuple && x.Index == 1 && to == from.Succs[1]
}

func condition(b *ssa.BasicBlock) ssa.Value {
	if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		return i.Cond
	}
	return nil
}

// loopOf returns the blocks of the innermost natural loop around b and its header, or nil.
func loopOf(b *ssa.BasicBlock) (header *ssa.BasicBlock, body map[*ssa.BasicBlock]bool) {
	for _, tail := range b.Parent().Blocks {
		for _, h := range tail.Succs {
			if !h.Dominates(tail) {
				continue
			}
			loop := naturalLoop(h, tail)
			if loop[b] && (body == nil || len(loop) < len(body)) {
				header, body = h, loop
			}
		}
	}
	return header, body
}

// naturalLoop returns the blocks from which tail is reached without passing header.
func naturalLoop(header, tail *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{header: true}
	work := []*ssa.BasicBlock{tail}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
	}
	return loop
}
