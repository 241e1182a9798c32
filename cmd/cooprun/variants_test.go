package main

import (
	"strings"
	"testing"
)

// tally is a package with a counter that its own functions access with its lock.
const tally = `package tally

import "sync"

var (
	Mu sync.Mutex
	N  int
)

func Inc() {
	Mu.Lock()
	N++
	Mu.Unlock()
}
`

// tokens is a package whose tests import packages that import it: as it has a test file of its
// own, those are compiled anew for the tests.
const tokens = "package token\n\ntype Token int\n"

func tokenTest(call string) string {
	return `package token_test

import (
	"testing"

	"example.com/m/service"
	"example.com/m/tally"
	"example.com/m/token"
)

func TestService(t *testing.T) {
	done := make(chan bool)
	` + call + `
	tally.Inc()
	<-done
}

var _ token.Token
`
}

// service is a package that starts a goroutine which counts, too.
func service(count string) string {
	return `package service

import (
	"example.com/m/tally"
	"example.com/m/token"
)

type Starter interface{ Start(t token.Token, done chan bool) }

type Service struct{ last token.Token }

func (s *Service) Start(t token.Token, done chan bool) {
	s.last = t
	go func() {
		` + count + `
		done <- true
	}()
}

func Start(t token.Token, done chan bool) { (&Service{}).Start(t, done) }

func Of[T any](t T, s func(T, chan bool), done chan bool) { s(t, done) }

var _ = tally.Inc
`
}

// What is compiled anew for a test is part of the program like all else.
func TestClassifyVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	for _, test := range []struct{ name, call string }{
		{"function", "service.Start(1, done)"},
		{"method", "new(service.Service).Start(1, done)"},
		{"interface", "var s service.Starter = new(service.Service)\n\ts.Start(1, done)"},
		{"value", "start := service.Start\n\tstart(1, done)"},
		{"bound", "start := new(service.Service).Start\n\tstart(1, done)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, variant := range []struct {
				count string
				right bool
			}{{"tally.Inc()", true}, {"tally.N++", false}} {
				e := instrumentFiles(t, "./token", map[string]string{
					"tally/tally.go": tally, "token/token.go": tokens, "token/export_test.go": "package token\n", "token/token_test.go": tokenTest(test.call), "service/service.go": service(variant.count),
				})
				if e.packages["example.com/m/service"] == nil {
					t.Fatal("the package that is compiled anew is not observed")
				}
				if n := len(e.packages["example.com/m/tally"].sites); n == 0 != variant.right {
					t.Errorf("with %s there are %d probes in the package of the counter", variant.count, n)
				}
			}
		})
	}
}

// The variables and objects of a package are the same in all variants.
func TestClassifyVariantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	const counter = "import \"sync\"\n\ntype Token struct {\n\tMu sync.Mutex\n\tN int\n}\n\nvar Shared Token\n"
	for _, test := range []struct {
		name, start, count, call string
		precise                  bool // what is right is seen to be
	}{
		{"of the tested package", "t *token.Token", "token.Shared.Mu.Lock()\n\t\ttoken.Shared.N++\n\t\ttoken.Shared.Mu.Unlock()", "x := &token.Shared\n\tservice.Start(x, done)", true},
		{"of the other package", "_ *token.Token", "other.Mu.Lock()\n\t\tother.N++\n\t\tother.Mu.Unlock()", "x := service.Other()\n\tservice.Start(nil, done)", false},
		{"in a library's sequence", "all iter.Seq[*token.Token]", "for x := range all {\n\t\t\tx.Mu.Lock()\n\t\t\tx.N++\n\t\t\tx.Mu.Unlock()\n\t\t}", "x := new(token.Token)\n\tservice.Start(slices.Values([]*token.Token{x}), done)", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, right := range []bool{test.precise, false} {
				count := "x.N++"
				if right {
					count = "x.Mu.Lock()\n\tx.N++\n\tx.Mu.Unlock()"
				}
				e := instrumentFiles(t, "./token", map[string]string{
					"token/token.go": "package token\n\n" + counter, "token/export_test.go": "package token\n",
					"service/service.go":  "package service\n\nimport (\n\t\"iter\"\n\n\t\"example.com/m/token\"\n)\n\nvar other token.Token\n\nfunc Other() *token.Token { return &other }\n\nvar _ iter.Seq[int]\n\nfunc Start(" + test.start + ", done chan bool) {\n\tgo func() {\n\t\t" + test.count + "\n\t\tdone <- true\n\t}()\n}\n",
					"token/token_test.go": "package token_test\n\nimport (\n\t\"slices\"\n\t\"testing\"\n\n\t\"example.com/m/service\"\n\t\"example.com/m/token\"\n)\n\nvar _ = slices.Max[[]int]\n\nfunc TestService(t *testing.T) {\n\tdone := make(chan bool)\n\t" + test.call + "\n\t" + count + "\n\t<-done\n}\n",
				})
				if n := len(e.packages["example.com/m/service"].sites); n == 0 != right {
					t.Errorf("right: %v, but there are %d probes", right, n)
				}
			}
		})
	}
}

// Generic functions have a body for each instance, which only their own callers have.
func TestClassifyGenericVariant(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	e := tryInstrument(t, "./token", map[string]string{
		"tally/tally.go": tally, "token/token.go": tokens, "token/export_test.go": "package token\n", "token/token_test.go": tokenTest("service.Of(1, service.Start, done)"), "service/service.go": service("tally.N++"),
	})
	if n := len(e.packages["example.com/m/tally"].sites); n == 0 || !strings.Contains(e.note, "generic function") {
		t.Errorf("%d probes in the package of the counter, note %q", n, e.note)
	}
}

// A dependency may import packages of the main module, and do with them what it likes.
func TestClassifyImported(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	const dependency = `package dep

import "example.com/m/tally"

func Start(done chan bool) {
	go func() {
		tally.N++
		done <- true
	}()
}
`
	for _, test := range []struct {
		dependency, start string
		alone             bool
	}{
		{dependency, "dep.Start(done)", false},
		{"package dep\n\nfunc Start(done chan bool) {\n\tgo func() { done <- true }()\n}\n", "dep.Start(done)", true},
	} {
		e := instrumentFiles(t, "./use", map[string]string{
			"go.mod":                        "module example.com/m\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n",
			"vendor/modules.txt":            "# example.com/dep v1.0.0\n## explicit\nexample.com/dep\n",
			"vendor/example.com/dep/dep.go": test.dependency,
			"tally/tally.go":                tally,
			"use/use_test.go":               "package use\n\nimport (\n\t\"testing\"\n\n\t\"example.com/dep\"\n\t\"example.com/m/tally\"\n)\n\nfunc TestUse(t *testing.T) {\n\tdone := make(chan bool)\n\t" + test.start + "\n\ttally.Inc()\n\t<-done\n}\n",
		})
		if n := len(e.packages["example.com/m/tally"].sites); n == 0 != test.alone {
			t.Errorf("%d probes in the package of the counter, with\n%s", n, test.dependency)
		}
	}
}
