package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

var classifyDir = flag.String("classify.module", "", "directory of the module of which TestClassifyModule measures the analysis")

// TestClassifyModule measures the whole-program analysis of all packages of a module with
// their tests: reading and type-checking them, and classifying their memory.
//
//	go test ./cmd/cooprun -run=TestClassifyModule -classify.module=$HOME/src/grpc-go -v -timeout=0
//
// The goal is 60 seconds and 4 GB for 300,000 lines, on two cores.
func TestClassifyModule(t *testing.T) {
	if *classifyDir == "" {
		t.Skip("no -classify.module")
	}
	b := newBuilder(t, *classifyDir, nil, "./...")
	var before, after syscall.Rusage
	began := time.Now()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	a, err := analyse(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	t.Logf("%d lines: %.1f s, %.1f s of processor time, at most %d MB", linesOf(t, a), took.Seconds(), cpu.Seconds(), after.Maxrss/1024)
	if s, ok := a.classes.(static); ok {
		t.Logf("%d locations, %d functions merged", len(s.result.Locations), s.result.Merged())
	} else {
		t.Errorf("not classified: %s", a.note)
	}
}

// linesOf counts the lines of the files that have been analysed.
func linesOf(t *testing.T, a *analysis) (n int) {
	t.Helper()
	done := make(map[string]bool)
	for _, p := range a.loaded {
		for _, file := range p.GoFiles {
			if done[file] || strings.HasSuffix(p.PkgPath, ".test") {
				continue
			}
			done[file] = true
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n += bytes.Count(text, []byte("\n"))
		}
	}
	return n
}
