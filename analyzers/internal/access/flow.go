package access

import "golang.org/x/tools/go/ssa"

// A Flow answers questions about which instructions of a function follow which.
type Flow struct {
	fn    *ssa.Function
	reach map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool // by at least one edge
	index map[ssa.Instruction]int                      // within the block
}

// NewFlow returns the Flow of fn.
func NewFlow(fn *ssa.Function) *Flow {
	f := &Flow{fn, make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool), make(map[ssa.Instruction]int)}
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
			if !seen[next] {
				seen[next] = true
				visit(next, 0)
			}
		}
	}
	visit(start.Block(), f.index[start]+1)
	return reached
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
