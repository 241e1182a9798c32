package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/escape"
	"github.com/coopvet/coop/instrument"
	"github.com/coopvet/coop/runner/sched"
)

// Values of -classify: which accesses to memory are scheduling points.
const (
	classifyStatic = "static" // those that package escape does not find to be unshared or protected
	classifyAll    = "all"    // all but those to variables that one function has for itself
	classifyNone   = "none"   // none but atomic operations
)

// analysisTime is how long the classification of a program may take. It should never be
// reached, because on a busy machine schedules would not repeat: package escape bounds
// the work by itself.
const analysisTime = 5 * time.Minute

// analysed returns the packages of the standard library in the program that are
// analysed, too, because programs keep their own data in them.
func (p *program) analysed() []string {
	return slices.DeleteFunc([]string{"container/heap", "container/list", "container/ring"}, func(path string) bool { return p.packages[path] == nil })
}

// imported returns the import paths of the observed packages that packages of the program
// import which are not observed: dependencies may depend on the main module.
func (p *program) imported() map[string]bool {
	out := make(map[string]bool)
	for _, l := range p.packages {
		if l.Standard || p.selected[l.path()] || strings.HasSuffix(l.path(), ".test") {
			continue
		}
		for _, i := range l.Imports {
			path, _, _ := strings.Cut(i, " ")
			if p.selected[path] {
				out[path] = true
			}
		}
	}
	return out
}

// classes chooses the accesses for which the loaded packages get probes. note explains
// to the user why it is not the choice that was asked for; "" if it is.
func classes(ctx context.Context, choice string, loaded []*packages.Package, o escape.Options) (c instrument.Classifier, note string) {
	switch choice {
	case classifyAll:
		return nil, ""
	case classifyNone:
		return onlyAtomic{}, ""
	}
	r, err := classifyStatically(ctx, loaded, o)
	if err != nil {
		return nil, fmt.Sprintf("all accesses to memory are scheduling points, as with -classify=all: %v", err)
	}
	return static{r}, ""
}

// classifyStatically classifies the locations of the packages, which are one program
// as far as it is seen.
func classifyStatically(ctx context.Context, loaded []*packages.Package, o escape.Options) (r *escape.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // code that package ssa or ours cannot cope with
			err = fmt.Errorf("the analysis failed: %v", p)
		}
	}()
	prog, built := ssautil.Packages(loaded, ssa.InstantiateGenerics|ssa.GlobalDebug)
	if err := buildSSA(prog); err != nil {
		return nil, err
	}
	var pkgs []*ssa.Package // without the generated ones that give all tests to package testing
	for _, p := range built {
		if p != nil && !strings.HasSuffix(p.Pkg.Path(), ".test") {
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) == 0 {
		return nil, errors.New("there are no packages to analyse")
	}
	return escape.Program(ctx, prog, pkgs, o)
}

// buildSSA builds the packages of prog in parallel, like its method Build, of which a panic
// would be the end of cooprun.
func buildSSA(prog *ssa.Program) error {
	var all sync.WaitGroup
	var first error
	var once sync.Once
	for _, p := range prog.AllPackages() {
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { first = fmt.Errorf("the analysis failed: %v", r) })
				}
			}()
			p.Build()
		})
	}
	all.Wait()
	return first
}

// static is the classification by package escape. Atomic operations and len of a
// channel synchronise: they are always visible.
type static struct{ result *escape.Result }

// Visible implements instrument.Classifier.
func (s static) Visible(a instrument.Access) bool { return s.claims(a)&sched.ClaimUnprotected != 0 }

func (s static) claims(a instrument.Access) sched.Claim {
	switch {
	case a.Kind.IsAtomic() || a.Kind == sched.ChanLen:
		return sched.ClaimUnprotected
	case a.Library:
		return s.result.ClaimsOfCall(a.Expr.(*ast.CallExpr))
	case a.Elements || a.Kind == sched.MapRead || a.Kind == sched.MapWrite:
		return s.result.ClaimsInside(a.Expr)
	}
	return s.result.Claims(a.Kind == sched.Write, a.Expr)
}

// audited makes all accesses visible, and what c says of them claims to be examined.
func audited(c instrument.Classifier) (all instrument.Classifier, claims func(instrument.Access) sched.Claim) {
	if s, ok := c.(static); ok {
		claims = s.claims
	}
	return nil, claims
}

// onlyAtomic makes plain accesses invisible.
type onlyAtomic struct{}

// Visible implements instrument.Classifier.
func (onlyAtomic) Visible(a instrument.Access) bool {
	return a.Kind.IsAtomic() || a.Kind == sched.ChanLen
}
