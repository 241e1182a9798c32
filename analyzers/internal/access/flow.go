package access

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Flow answers questions about which instructions of a function follow which.
type Flow struct {
	fn    *ssa.Function
	reach map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool // by at least one edge
	index map[ssa.Instruction]int                      // within the block
	loops map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool // by the block in which a loop begins; nil until needed
}

// NewFlow returns the Flow of fn.
func NewFlow(fn *ssa.Function) *Flow {
	f := &Flow{fn: fn, reach: make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool), index: make(map[ssa.Instruction]int)}
	for _, b := range fn.Blocks {
		for n, i := range b.Instrs {
			f.index[i] = n
		}
	}
	return f
}

// Reaches tells whether b may be executed after a.
func (f *Flow) Reaches(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() && f.index[a] < f.index[b] {
		return true
	}
	return f.from(a.Block())[b.Block()]
}

// from returns the blocks that are reached from b.
func (f *Flow) from(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	if r := f.reach[b]; r != nil {
		return r
	}
	r := make(map[*ssa.BasicBlock]bool)
	work := append([]*ssa.BasicBlock(nil), b.Succs...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !r[x] {
			r[x] = true
			work = append(work, x.Succs...)
		}
	}
	f.reach[b] = r
	return r
}

// Until returns the instructions that may be executed after start before any for which stop
// is true; those are not among them.
func (f *Flow) Until(start ssa.Instruction, stop func(ssa.Instruction) bool) map[ssa.Instruction]bool {
	return f.until(start, stop, func(from, to *ssa.BasicBlock) bool { return true })
}

// UntilJoin is Until for instructions that wait for others. A loop that does so in each of its rounds has at
// least one: there are as many as there is something to wait for.
func (f *Flow) UntilJoin(start ssa.Instruction, join func(ssa.Instruction) bool) map[ssa.Instruction]bool {
	return f.until(start, join, func(from, to *ssa.BasicBlock) bool {
		return !slices.ContainsFunc(append([]*ssa.BasicBlock{from}, from.Succs...), func(first *ssa.BasicBlock) bool {
			loop := f.loop(first)
			return loop != nil && !loop[start.Block()] && !loop[to] && (first == from || !loop[from] && exits(loop, to)) && stopsEachRound(first, loop, join)
		})
	})
}

// exits tells whether the loop can go on with b after its end.
func exits(loop map[*ssa.BasicBlock]bool, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return loop[p] })
}

// until goes along the edges for which along is true.
func (f *Flow) until(start ssa.Instruction, stop func(ssa.Instruction) bool, along func(from, to *ssa.BasicBlock) bool) map[ssa.Instruction]bool {
	reached := make(map[ssa.Instruction]bool)
	seen := make(map[*ssa.BasicBlock]bool)
	var visit func(b *ssa.BasicBlock, from int)
	visit = func(b *ssa.BasicBlock, from int) {
		for _, i := range b.Instrs[from:] {
			if stop(i) {
				return
			}
			reached[i] = true
		}
		for _, next := range b.Succs {
			if !seen[next] && along(b, next) {
				seen[next] = true
				visit(next, 0)
			}
		}
	}
	visit(start.Block(), f.index[start]+1)
	return reached
}

// loop returns the blocks of the loop that begins with b; nil if none does.
func (f *Flow) loop(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	if f.loops == nil {
		f.loops = make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool)
		for _, last := range f.fn.Blocks {
			for _, first := range last.Succs {
				if first.Dominates(last) {
					f.addLoop(first, last)
				}
			}
		}
	}
	return f.loops[b]
}

// addLoop notes the blocks from which last is reached without first.
func (f *Flow) addLoop(first, last *ssa.BasicBlock) {
	loop := f.loops[first]
	if loop == nil {
		loop = map[*ssa.BasicBlock]bool{first: true}
		f.loops[first] = loop
	}
	for work := []*ssa.BasicBlock{last}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
	}
}

// stopsEachRound tells whether no way through the loop leads back to its first block without a stop.
func stopsEachRound(first *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool, stop func(ssa.Instruction) bool) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var returns func(b *ssa.BasicBlock) bool
	returns = func(b *ssa.BasicBlock) bool {
		if seen[b] || !loop[b] || slices.ContainsFunc(b.Instrs, stop) {
			return false
		}
		seen[b] = true
		return slices.ContainsFunc(b.Succs, func(next *ssa.BasicBlock) bool { return next == first || returns(next) })
	}
	return !returns(first)
}

// Always tells whether fn executes i whenever it returns.
func Always(fn *ssa.Function, i ssa.Instruction) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var avoids func(b *ssa.BasicBlock) bool
	avoids = func(b *ssa.BasicBlock) bool {
		if b == i.Block() || seen[b] {
			return false
		}
		seen[b] = true
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return true
		}
		for _, next := range b.Succs {
			if avoids(next) {
				return true
			}
		}
		return false
	}
	return !avoids(fn.Blocks[0])
}

// Result returns the value of result number n at a return. In functions with deferred calls
// that is what has been stored in the result's variable in the same block; the variable's
// value if that is not known.
func Result(ret *ssa.Return, n int) ssa.Value {
	load, ok := ret.Results[n].(*ssa.UnOp)
	if !ok {
		return ret.Results[n]
	}
	v := ssa.Value(load)
	for _, i := range ret.Block().Instrs {
		if s, ok := i.(*ssa.Store); ok && s.Addr == load.X {
			if _, local := s.Addr.(*ssa.Alloc); local {
				v = s.Val
			}
		}
	}
	return v
}
