package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

var vetReleases = flag.String("releases", "", "Go releases, separated by commas, whose go vet is to run coopvet")

// A lock that a function of another package takes: facts must reach the package that holds it.
var twoPackages = map[string]string{
	"store/store.go": `package store

import "sync"

type Store struct {
	Mu sync.Mutex
	n  int
}

func (s *Store) Add() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.n++
}
`,
	"m.go": `package m

import (
	"net/http"

	"m/store"
)

func Serve(s *store.Store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.Add()
	}
}
`,
}

const lockedTwice = "m.go:13:8: s.Mu is locked by calling Store.Add although it is held"

// The go command of another release runs coopvet, too, and coopvet runs that go command.
func TestReleases(t *testing.T) {
	if *vetReleases == "" {
		t.Skip("no -releases")
	}
	for release := range strings.SplitSeq(*vetReleases, ",") {
		t.Run(release, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", release)
			testVettool(t, release)
		})
	}
}

// testVettool runs coopvet as a tool of go vet and on its own, and fails if it does not find
// what is in the packages. For a release newer than the one this test was built with, coopvet
// is built with that; the one that was not says why it finds nothing.
func testVettool(t *testing.T, release string) {
	tool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if newer(release) {
		older := tool
		tool = filepath.Join(t.TempDir(), "coopvet")
		run(t, "go", "build", "-o", tool, ".")
		defer func() {
			out := run(t, "go", "vet", "-vettool="+older, "./...")
			if strings.Count(out, "cannot read packages for "+release) != 2 || strings.Contains(out, "exit status") {
				t.Errorf("an older coopvet says %s", out)
			}
		}()
	}
	module(t, twoPackages)
	if err := os.WriteFile("go.mod", []byte("module m\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := run(t, "go", "version"); !strings.Contains(out, " "+release+" ") {
		t.Fatalf("go version: %s", out)
	}
	if out := run(t, "go", "vet", "-vettool="+tool, "./..."); !strings.Contains(out, lockedTwice) {
		t.Errorf("go vet: %s", out)
	}
	var out strings.Builder
	diags, err := driver.Run(t.Context(), driver.Config{Patterns: []string{"./..."}, Tool: tool})
	for _, d := range diags {
		fmt.Fprintf(&out, "%s:%d:%d: %s\n", filepath.Base(d.Position.File), d.Position.Line, d.Position.Column, d.Message)
	}
	if err != nil || !strings.Contains(out.String(), lockedTwice) {
		t.Errorf("driver: %v\n%s", err, &out)
	}
}

// run returns what the command prints. It may fail: go vet does if there are findings.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}
