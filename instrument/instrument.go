// Package instrument edits Go source so that accesses to memory which several
// goroutines may reach become scheduling points.
//
// The edits are calls of package probe, put around the expressions as they stand in
// the source. No line is added or removed, so positions in panics, logs, stacks and
// debuggers stay true. The edited file means what the original means:
//
//   - Every operand is evaluated once, calls in the order of the original. Go leaves
//     open when a variable is read relative to the calls of the same statement, but
//     programs lean on what the gc compiler does: s.items[i] = s.alloc() assigns to the
//     new items, and return n, f() returns what f left in n. So do the edited ones.
//   - A probe's scheduling point comes after the operands are evaluated and
//     immediately before the access, or immediately after it with nothing in
//     between, so that a pending operation is never announced which does not happen
//     next. An access for which this is impossible has no probe.
//   - Types and constants stay as they were: constant expressions are not touched.
//
// Locations are variables, fields, elements and dereferences. A variable of a
// function is local, and has no probe, when no other goroutine can reach it (see
// locals). Of the rest a Classifier chooses those that are visible. Channels, locks
// and the go statement need no probes: the patched runtime sees them.
//
// Files that import "C", and functions that may not call others (go:nosplit and the
// like), are left alone; so are initialisers of package-level variables, which run
// before any test.
package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// Options says where probes go.
type Options struct {
	ProbeImport string     // import path of package probe as the target sees it
	Classes     Classifier // chooses the visible accesses; nil: all that are not local
	FirstSite   uint32     // number of the file's first site
	// Claims says what Site.Claim is; nil: 0.
	Claims func(Access) sched.Claim
}

// A Classifier decides which accesses are visible operations. It is asked once or
// more for every access that is not provably local to a goroutine.
type Classifier interface {
	Visible(Access) bool
}

// Access is one access to memory in the source.
type Access struct {
	Kind sched.Kind
	// Expr is the accessed location: x, x.f, a[i] or *p; for a method selector p.M,
	// the receiver *p that is copied; for MapRead and MapWrite the map; for atomic
	// operations the pointer, or the variable that has the method; for ChanLen the
	// channel. An assignment operation (x += 1) is a Write.
	Expr ast.Expr
	// Root is the variable whose memory holds the location Expr; nil if it is reached
	// through a pointer, slice or map, or if Elements are accessed.
	Root *types.Var
	// Elements says that the elements of the slice Expr are accessed (range, copy, clear).
	Elements bool
	// Library says that Expr is a call of a function of the standard library that makes the
	// access, see package escape/library.
	Library bool
}

// Site is one access with a probe.
type Site struct {
	ID   uint32
	Pos  token.Position // in the original file; line directives are not followed
	Kind sched.Kind
	Expr string // source text of the location, e.g. "c.n" or "a[i]", shortened
	Func string // the enclosing function, e.g. "(*Cache).Get" or "run.func1"
	// Claim is what a static analysis says of the location, for a comparison.
	Claim sched.Claim
}

// File returns the edited source of file and its sites, numbered from
// opts.FirstSite without gaps. src is the text from which file was parsed, with
// comments; pkg and info are the result of type-checking it. info needs Types, Defs,
// Uses, Selections and Instances. Without sites the result is src.
func File(fset *token.FileSet, file *ast.File, src []byte, pkg *types.Package, info *types.Info, opts Options) ([]byte, []Site, error) {
	if importsC(file) {
		return src, nil, nil
	}
	r := newRewriter(fset, file, src, pkg, info, opts)
	r.seek(file.Name.End())
	for _, d := range file.Decls {
		r.decl(d)
	}
	r.rest()
	if r.err != nil {
		return nil, nil, r.err
	}
	if len(r.sites) == 0 {
		return src, nil, nil
	}
	return r.assemble(), r.sites, nil
}

// decl rewrites a declaration at package level.
func (r *rewriter) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && !r.leaveAlone(d) {
			r.function(funcName(d), d.Type, d.Body)
		}
	case *ast.GenDecl:
		r.genDecl(d) // outside functions nothing is visible, except in function literals
	}
}

// genDecl rewrites the values of variable declarations.
func (r *rewriter) genDecl(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		if len(s.Names) == 2 && len(s.Values) == 1 {
			r.commaForm(s.Values[0], s.Type == nil)
		}
		r.markLate(s.Values...)
		r.exprs(s.Values)
	}
}
