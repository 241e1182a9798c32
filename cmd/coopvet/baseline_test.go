package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

var someFinding = driver.Diagnostic{Check: "blocked", Package: "m", Function: "F", Message: "waits"}

// others are findings that differ from someFinding in one thing each.
func others() map[string]driver.Diagnostic {
	check, pkg, function, message := someFinding, someFinding, someFinding, someFinding
	check.Check, pkg.Package, function.Function, message.Message = "condwait", "m2", "G", "sends"
	return map[string]driver.Diagnostic{"check": check, "package": pkg, "function": function, "message": message}
}

// write returns the baseline of diags, written and read.
func write(t *testing.T, diags ...driver.Diagnostic) *baseline {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known.json")
	if err := writeBaseline(file, diags); err != nil {
		t.Fatal(err)
	}
	b, err := readBaseline(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What makes a finding another one.
func TestIdentity(t *testing.T) {
	moved := someFinding
	moved.Position = driver.Position{File: "f.go", Line: 3, Column: 1}
	known := write(t, someFinding)
	if fresh := known.remove([]driver.Diagnostic{moved}); len(fresh) > 0 || fingerprint(moved) != fingerprint(someFinding) {
		t.Error("a finding that has moved is new")
	}
	for what, d := range others() {
		if fresh := known.remove([]driver.Diagnostic{d}); len(fresh) != 1 || fingerprint(d) == fingerprint(someFinding) {
			t.Errorf("a finding with another %s is known", what)
		}
	}
}

// As many as are known are removed, also if the file lists them in two parts.
func TestBaselineCount(t *testing.T) {
	two := []driver.Diagnostic{someFinding, someFinding}
	known := write(t, two...)
	parts := &baseline{Findings: append(write(t, someFinding).Findings, write(t, someFinding).Findings...)}
	for _, b := range []*baseline{known, parts} {
		if fresh := b.remove(two); len(fresh) != 0 {
			t.Errorf("%d of two known findings are new", len(fresh))
		}
		if fresh := b.remove(append(two, someFinding)); len(fresh) != 1 {
			t.Errorf("%d of three findings are new, two are known", len(fresh))
		}
	}
}

// The file is the same for the same findings.
func TestBaselineSorted(t *testing.T) {
	diags := []driver.Diagnostic{someFinding}
	for _, d := range others() {
		diags = append(diags, d)
	}
	dir := t.TempDir()
	var want string
	for range 20 {
		file := filepath.Join(dir, "known.json")
		if err := writeBaseline(file, diags); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(data)
		}
		if string(data) != want {
			t.Fatalf("got\n%s\nand\n%s", want, data)
		}
		diags = append(diags[1:], diags[0])
	}
}

// The end of a region: another line than its start, and columns that count code points.
func TestRegion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.go")
	if err := os.WriteFile(file, []byte("a := 1 +\n\t/* ä */ b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l := &locator{root: filepath.Dir(file), lines: make(map[string][][]byte)}
	got := l.location(driver.Position{File: file, Line: 1, Column: 6}, driver.Position{File: file, Line: 2, Column: 12}).PhysicalLocation.Region
	if *got.StartLine != 1 || *got.StartColumn != 6 || *got.EndLine != 2 || *got.EndColumn != 11 {
		t.Errorf("%d:%d to %d:%d, want 1:6 to 2:11", *got.StartLine, *got.StartColumn, *got.EndLine, *got.EndColumn)
	}
}
