package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

const corpusPath = "github.com/coopvet/coop/testdata/corpus/"

// lockOrder are the buggy programs of the corpus in which locks are taken in different orders.
var lockOrder = []string{"cooperari/bank", "cooperari/philosophers", "map/lockorder", "mutex/cycle3", "mutex/transfer"}

// missed are those buggy programs with a data race or a wrong lock order that coopvet does
// not report, and why.
var missed = map[string]string{
	"chan/bufferedack":       "the channel operations may order the accesses; that they do not follows from the buffer's size",
	"cooperari/linkedlist":   "which node is written follows from a loop over the list",
	"cooperari/philosophers": "which forks the fields point to follows from the indices in Table",
	"mutex/copied":           "go vet reports it (copylocks)",
	"once/sharedvalue":       "the map is reached through a function value",
}

// TestCorpus measures recall and false alarms over the corpus: every program with a data race
// or a wrong lock order is reported or in the list above, and no corrected program is.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the corpus")
	}
	reported := corpusFindings(t)
	races, orders, others := new(recall), new(recall), new(recall)
	programs, alarms := 0, 0
	for _, name := range corpusPrograms(t, "clean") {
		if programs++; len(reported["clean/"+name]) > 0 {
			alarms++
		}
		for check, n := range reported["clean/"+name] {
			t.Errorf("false alarm: %s has %d findings in clean/%s", check, n, name)
		}
	}
	for _, name := range corpusPrograms(t, "buggy") {
		checks := reported["buggy/"+name]
		class := others
		switch {
		case slices.Contains(lockOrder, name):
			class = orders
		case racy(t, name):
			class = races
		}
		class.add(name, len(checks) > 0)
		reason, listed := missed[name]
		switch {
		case class != others && len(checks) == 0 && !listed:
			t.Errorf("buggy/%s is not reported, and no reason is given", name)
		case listed && len(checks) > 0:
			t.Errorf("buggy/%s is reported by %v, but listed as missed: %s", name, slices.Sorted(maps.Keys(checks)), reason)
		}
	}
	t.Logf("data races:   %s", races)
	t.Logf("lock orders:  %s", orders)
	t.Logf("other bugs:   %s", others)
	t.Logf("false alarms: in %d of %d corrected programs", alarms, programs)
	for _, name := range slices.Sorted(maps.Keys(missed)) {
		t.Logf("missed: %s: %s", name, missed[name])
	}
	if races.found == 0 || orders.found == 0 || others.found == 0 || programs < 50 {
		t.Error("the corpus is not there")
	}
}

// corpusFindings counts findings by program and check.
func corpusFindings(t *testing.T) map[string]map[string]int {
	t.Helper()
	diags, err := driver.Run(context.Background(), driver.Config{Dir: "../../testdata/corpus", Patterns: []string{"./buggy/...", "./clean/..."}, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	reported := make(map[string]map[string]int)
	for _, d := range diags {
		name := strings.TrimSuffix(strings.TrimPrefix(d.Package, corpusPath), "_test")
		if reported[name] == nil {
			reported[name] = make(map[string]int)
		}
		reported[name][d.Check]++
	}
	return reported
}

func corpusPrograms(t *testing.T, verdict string) []string {
	t.Helper()
	root := filepath.Join("../../testdata/corpus", verdict)
	dirs, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range dirs {
		rel, err := filepath.Rel(root, d)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, rel)
	}
	return names
}

// racy tells whether the program says that it may be reported as a race.
func racy(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../testdata/corpus/buggy", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, after, ok := strings.Cut(string(data), "// Expect: "); ok {
			kinds, _, _ := strings.Cut(after, "\n")
			return slices.Contains(strings.Split(kinds, "|"), "race")
		}
	}
	t.Fatalf("buggy/%s says nothing", name)
	return false
}

// recall counts programs.
type recall struct {
	found, all int
	lost       []string
}

func (r *recall) add(name string, found bool) {
	r.all++
	if found {
		r.found++
	} else {
		r.lost = append(r.lost, name)
	}
}

func (r *recall) String() string {
	s := fmt.Sprintf("%d of %d reported", r.found, r.all)
	if len(r.lost) > 0 {
		s += "; not " + strings.Join(r.lost, ", ")
	}
	return s
}
