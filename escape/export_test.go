package escape

import (
	"context"

	"golang.org/x/tools/go/ssa"
)

// Callees are the functions that a call of a function value or of a method of an
// interface may be of, as far as the analysis has found out.
type Callees struct {
	Functions map[*ssa.Function]bool
	Unknown   bool // it may be of any that unknown code can call, too
}

// ProgramCalls is Program, and returns the dynamic calls of the functions that it has
// analysed, and the functions that goroutines of unknown code may call.
func ProgramCalls(ctx context.Context, prog *ssa.Program, pkgs []*ssa.Package, o Options) (r *Result, sites map[ssa.CallInstruction]*Callees, unknown map[*ssa.Function]bool, err error) {
	sites, unknown = make(map[ssa.CallInstruction]*Callees), make(map[*ssa.Function]bool)
	o.called = func(at ssa.Instruction, fn *ssa.Function) {
		call, ok := at.(ssa.CallInstruction)
		if !ok || !isDynamic(call) {
			return
		}
		if sites[call] == nil {
			sites[call] = &Callees{Functions: make(map[*ssa.Function]bool)}
		}
		if fn == nil {
			sites[call].Unknown = true
		} else {
			sites[call].Functions[fn] = true
		}
	}
	r, err = Program(ctx, prog, pkgs, o)
	if err != nil {
		return nil, nil, nil, err
	}
	for fn := range r.e.funcs {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok && isDynamic(call) && sites[call] == nil {
					sites[call] = &Callees{}
				}
			}
		}
	}
	for k := range r.e.edges {
		if k.from == nil && k.spawn {
			unknown[k.to] = true
		}
	}
	return r, sites, unknown, nil
}

// HasBody reports whether the analysis looks into fn.
func (r *Result) HasBody(fn *ssa.Function) bool { return r.e.hasBody(fn) }

// Analysed returns all functions that have been analysed.
func (r *Result) Analysed() map[*ssa.Function]bool {
	all := make(map[*ssa.Function]bool)
	for fn := range r.e.funcs {
		all[fn] = true
	}
	return all
}

// Standing returns the function that stands for fn if that is of a variant of a package
// that is compiled anew for a test.
func (r *Result) Standing(fn *ssa.Function) *ssa.Function { return r.e.variants.function(fn) }

func isDynamic(c ssa.CallInstruction) bool {
	_, builtin := c.Common().Value.(*ssa.Builtin)
	return !builtin && c.Common().StaticCallee() == nil
}
