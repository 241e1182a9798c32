package escape

import (
	"go/token"
	"math/bits"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// live knows which values a function may use after an instruction without computing
// them anew: the liveness of compilers. Only values that counts accepts are of interest.
type live struct {
	values []ssa.Value
	number map[ssa.Value]int
	out    map[*ssa.BasicBlock]bitset // at the ends of blocks
	always []ssa.Value                // may be used at any time: by deferred calls
}

type bitset []uint64

func newLive(fn *ssa.Function, counts func(ssa.Value) bool) *live {
	v := &live{number: make(map[ssa.Value]int), out: make(map[*ssa.BasicBlock]bitset)}
	add := func(x ssa.Value) {
		if counts(x) {
			v.number[x] = len(v.values)
			v.values = append(v.values, x)
		}
	}
	for _, p := range fn.Params {
		add(p)
	}
	for _, x := range fn.FreeVars {
		add(x)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if x, ok := i.(ssa.Value); ok {
				add(x)
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Defer:
				v.always = append(v.always, v.uses(i)...)
			case *ssa.MakeClosure:
				if defersForOuter(i) {
					v.always = append(v.always, v.uses(i)...)
				}
			}
		}
	}
	v.solve(fn)
	if fn.Recover != nil { // where a panic leads to, from anywhere
		v.always = append(v.always, v.list(v.back(fn.Recover, 0))...)
	}
	return v
}

// defersForOuter reports whether i makes the body of a range-over-func statement that defers
// calls until the function around it ends.
func defersForOuter(i ssa.Instruction) bool {
	c, ok := i.(*ssa.MakeClosure)
	return ok && lockset.DefersForOuter(c.Fn.(*ssa.Function))
}

// solve computes the sets at the ends of blocks.
func (v *live) solve(fn *ssa.Function) {
	size := (len(v.values) + 63) / 64
	for _, b := range fn.Blocks {
		v.out[b] = make(bitset, size)
	}
	for again := true; again; {
		again = false
		for _, b := range slices.Backward(fn.Blocks) {
			phis := phisOf(b)
			in, used := v.back(b, 0), v.back(b, len(phis))
			for n, p := range b.Preds {
				again = v.out[p].union(in) || again
				for _, phi := range phis {
					k, counts := v.number[phi.(*ssa.Phi).Edges[n]]
					if j, ok := v.number[phi.(*ssa.Phi)]; counts && ok && used.has(j) {
						again = v.out[p].add(k) || again
					}
				}
			}
		}
	}
}

func phisOf(b *ssa.BasicBlock) []ssa.Instruction {
	n := slices.IndexFunc(b.Instrs, func(i ssa.Instruction) bool {
		_, phi := i.(*ssa.Phi)
		return !phi
	})
	return b.Instrs[:n]
}

// back returns the set before instruction n of b.
func (v *live) back(b *ssa.BasicBlock, n int) bitset {
	set := slices.Clone(v.out[b])
	for _, i := range slices.Backward(b.Instrs[n:]) {
		if x, ok := i.(ssa.Value); ok {
			if k, ok := v.number[x]; ok {
				set[k/64] &^= 1 << (k % 64)
			}
		}
		for _, x := range v.uses(i) {
			set.add(v.number[x])
		}
	}
	return set
}

// uses returns the values of interest that i uses, which for phis is done by the blocks
// before, and to compare pointers is no use.
func (v *live) uses(i ssa.Instruction) []ssa.Value {
	switch i := i.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return nil
	case *ssa.BinOp:
		if i.Op == token.EQL || i.Op == token.NEQ {
			return nil
		}
	}
	var list []ssa.Value
	for _, x := range i.Operands(nil) {
		if _, ok := v.number[*x]; ok {
			list = append(list, *x)
		}
	}
	return list
}

// after returns the values that may be used when i has been executed, but for those
// that are computed after it.
func (v *live) after(i ssa.Instruction) []ssa.Value {
	b := i.Block()
	set := v.back(b, slices.Index(b.Instrs, i)+1)
	if x, ok := i.(ssa.Value); ok {
		if k, ok := v.number[x]; ok {
			set[k/64] &^= 1 << (k % 64)
		}
	}
	return append(v.list(set), v.always...)
}

func (v *live) list(set bitset) []ssa.Value {
	var list []ssa.Value
	for n, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, v.values[64*n+bits.TrailingZeros64(word)])
		}
	}
	return list
}

func (s bitset) has(k int) bool { return s[k/64]&(1<<(k%64)) != 0 }

func (s bitset) add(k int) (changed bool) {
	changed = !s.has(k)
	s[k/64] |= 1 << (k % 64)
	return changed
}

func (s bitset) union(t bitset) (changed bool) {
	for n, word := range t {
		changed = changed || word&^s[n] != 0
		s[n] |= word
	}
	return changed
}
