package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coopvet/coop/escape"
)

// instrumentFiles instruments the packages of a module that consists of files, and wants
// nothing to note.
func instrumentFiles(t *testing.T, pattern string, files map[string]string) *edits {
	t.Helper()
	e := tryInstrument(t, pattern, files)
	if e.note != "" {
		t.Fatalf("note %q", e.note)
	}
	return e
}

func tryInstrument(t *testing.T, pattern string, files map[string]string) *edits {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.25\n"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e, err := instrumentAll(t.Context(), newBuilder(t, dir, nil, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What the classification says is asked for the whole program: a test in another
// package that breaks the rule makes the accesses visible.
func TestClassifyStaticallySeesAllPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	sites := func(breaker string) int {
		e := instrumentFiles(t, "./use", map[string]string{
			"counter/counter.go": "package counter\n\nimport \"sync\"\n\ntype C struct {\n\tmu sync.Mutex\n\tN int\n}\n\nfunc (c *C) Inc() {\n\tc.mu.Lock()\n\tc.N++\n\tc.mu.Unlock()\n}\n",
			"use/use_test.go":    "package use\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/counter\"\n)\n\nfunc TestUse(t *testing.T) {\n\tc := &counter.C{}\n\tdone := make(chan bool)\n\tgo func() {\n\t\tc.Inc()\n\t\tdone <- true\n\t}()\n\t" + breaker + "\n\t<-done\n}\n",
		})
		return len(e.packages["example.com/m/counter"].sites)
	}
	if n := sites("c.Inc()"); n != 0 {
		t.Errorf("%d probes in a program that obeys its lock, want none", n)
	}
	if n := sites("c.N++"); n == 0 {
		t.Error("no probes where a test accesses the counter without its lock")
	}
}

// A package that package ssa cannot cope with is no reason to give up: all its accesses are
// scheduling points then.
func TestClassifyPanic(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p\n\nvar v int\n\nfunc F() { v = 1 }\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)} // Uses are missing
	var conf types.Config
	pkg, err := conf.Check("p", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	c, note := classes(t.Context(), classifyStatic, []*packages.Package{{ID: "p", PkgPath: "p", Fset: fset, Types: pkg, Syntax: []*ast.File{f}, TypesInfo: info}}, escape.Options{})
	if c != nil || !strings.Contains(note, "the analysis failed") {
		t.Errorf("classifier %v, note %q", c, note)
	}
}
