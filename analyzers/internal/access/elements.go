package access

import (
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// An element of a slice or array is named by its index: a constant, or the name of a value of
// the function. Of the latter only those are kept that count a loop from 0, and only for
// accesses that each round of the loop makes, so that two loops both access element 0. What a
// called function does in a loop of its own is named firstElements in the frame of its caller.
const firstElements = "[0..]"

// A Counter is a value that counts a loop: 0 in the first round, 1 in the second.
type Counter struct {
	Value ssa.Value
	body  map[*ssa.BasicBlock]bool
	head  *ssa.BasicBlock
}

// countersOf returns the counters of the loops of fn by their names.
func (p *Program) countersOf(fn *ssa.Function) map[string]*Counter {
	if all, ok := p.counters[fn]; ok {
		return all
	}
	all := make(map[string]*Counter)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				break
			}
			if v := counts(phi); v != nil {
				all[v.Name()] = &Counter{Value: v, body: loopFrom(b), head: b}
			}
		}
	}
	p.counters[fn] = all
	return all
}

// counts returns what counts the rounds of the loop that begins with phi: phi itself or, where
// that begins with -1, its successor; nil if phi is something else.
func counts(phi *ssa.Phi) ssa.Value {
	var next *ssa.BinOp
	first := int64(1)
	for _, e := range phi.Edges {
		switch e := e.(type) {
		case *ssa.Const:
			if e.Value == nil || e.Value.Kind() != constant.Int {
				return nil
			}
			first = e.Int64()
		case *ssa.BinOp:
			one, ok := e.Y.(*ssa.Const)
			if e.Op != token.ADD || e.X != ssa.Value(phi) || !ok || one.Value == nil || one.Value.ExactString() != "1" || next != nil && next != e {
				return nil
			}
			next = e
		default:
			return nil
		}
	}
	switch {
	case next == nil:
		return nil
	case first == 0:
		return phi
	case first == -1:
		return next
	}
	return nil
}

// loopFrom returns the blocks of the natural loops that begin with head.
func loopFrom(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	body := map[*ssa.BasicBlock]bool{head: true}
	var work []*ssa.BasicBlock
	for _, b := range head.Preds {
		if head.Dominates(b) {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !body[b] {
			body[b] = true
			work = append(work, b.Preds...)
		}
	}
	return body
}

// each tells whether every complete round of the loop executes one of the blocks.
func (c *Counter) each(blocks map[*ssa.BasicBlock]bool) bool {
	for b := range blocks {
		if !c.body[b] {
			return false
		}
	}
	seen := make(map[*ssa.BasicBlock]bool)
	work := []*ssa.BasicBlock{c.head}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || blocks[b] {
			continue
		}
		seen[b] = true
		for _, next := range b.Succs {
			if next == c.head {
				return false
			}
			if c.body[next] {
				work = append(work, next)
			}
		}
	}
	return true
}

// CounterOf returns the counter that is the one variable index of the path in fn; nil if there
// is none, or if it is something else.
func (p *Program) CounterOf(fn *ssa.Function, path lockset.Path) *Counter {
	var c *Counter
	for _, s := range path.Steps() {
		if !isVariable(s) {
			continue
		}
		if c != nil {
			return nil
		}
		if c = p.countersOf(fn)[s[1:len(s)-1]]; c == nil {
			return nil
		}
	}
	return c
}

// InEachRound tells whether the path has a variable index and i is executed in each round of the
// loop that it counts.
func (p *Program) InEachRound(path lockset.Path, i ssa.Instruction) bool {
	c := p.CounterOf(i.Parent(), path)
	return c != nil && c.each(map[*ssa.BasicBlock]bool{i.Block(): true})
}

// keepElements adds those accesses to elements that loops make in each round.
func (b *builder) keepElements() {
	type group struct {
		path  lockset.Path
		write bool
	}
	blocks := make(map[group]map[*ssa.BasicBlock]bool)
	for _, a := range b.elements {
		g := group{a.Path, a.Write}
		if blocks[g] == nil {
			blocks[g] = make(map[*ssa.BasicBlock]bool)
		}
		blocks[g][a.At().Block()] = true
	}
	for _, a := range b.elements {
		if c := b.prog.CounterOf(b.fn, a.Path); c != nil && c.each(blocks[group{a.Path, a.Write}]) {
			b.keep(a)
		}
	}
}

// Variable tells whether the path goes through an element that is not always the same.
func Variable(p lockset.Path) bool {
	for _, s := range p.Steps() {
		if isVariable(s) {
			return true
		}
	}
	return false
}

func isVariable(step string) bool {
	return step[0] == '[' && (step[1] < '0' || step[1] > '9') && step != Spare && step != Iterator
}

// anyRound returns the path with the counters of loops left out.
func anyRound(p lockset.Path) lockset.Path {
	if !Variable(p) {
		return p
	}
	var sel strings.Builder
	for _, s := range p.Steps() {
		if isVariable(s) {
			s = firstElements
		}
		sel.WriteString(s)
	}
	return lockset.Path{Root: p.Root, Sel: sel.String()}
}
