package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/coopvet/coop/"

// importPolicy is the architecture: which of our packages each of them may import,
// directly or not. "std" after the colon means that nothing but the standard library
// and those is allowed: the package is linked into the program under test. A package
// that is not listed may not exist.
var importPolicy = map[string]string{
	"runner/sched":           "std:",
	"runner/strategy":        "std: runner/sched",
	"runner/detect":          "std: runner/sched",
	"runner/conductor/probe": "std: runner/sched",
	"runner/conductor":       "std: runner/conductor/probe runner/detect runner/sched runner/strategy",

	"runner/report": "std: runner/sched",
	"runner":        "std: runner/report runner/sched",

	"escape/syncop":        "escape/... runner/sched",
	"escape/lockset":       "escape/... runner/sched",
	"escape":               "escape/... runner/sched",
	"instrument":           "escape/... runner/sched",
	"instrument/toolchain": "std:",

	"analyzers":   "analyzers/... escape/... runner/sched",
	"cmd/coopvet": "analyzers/... cmd/coopvet/... escape/... runner/sched",
	"cmd/cooprun": "escape/... instrument/... runner/...",
}

// Families of packages that follow the policy of their parent.
var importFamilies = []string{"analyzers/", "cmd/coopvet/", "escape/"}

// The corpus consists of programs under test: they import nothing of ours.
const corpus = "testdata/"

func policyOf(pkg string) (string, bool) {
	if strings.HasPrefix(pkg, corpus) {
		return "std:", true
	}
	if p, ok := importPolicy[pkg]; ok {
		return p, true
	}
	for _, f := range importFamilies {
		if strings.HasPrefix(pkg, f) {
			return importPolicy[strings.TrimSuffix(f, "/")], true
		}
	}
	return "", false
}

// violation says what is wrong with pkg importing dep, "" if nothing.
func violation(pkg, dep string, standard bool) string {
	policy, ok := policyOf(pkg)
	if !ok {
		return "the package has no policy"
	}
	own, isOurs := strings.CutPrefix(dep, modulePath)
	allowed, stdOnly := strings.CutPrefix(policy, "std:")
	switch {
	case standard:
		return ""
	case !isOurs && stdOnly:
		return "only the standard library is allowed"
	case !isOurs:
		return ""
	}
	for _, a := range strings.Fields(allowed) {
		if prefix, ok := strings.CutSuffix(a, "/..."); own == a || ok && (own == prefix || strings.HasPrefix(own, prefix+"/")) {
			return ""
		}
	}
	return "it is not in the policy"
}

func TestImportPolicy(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		ImportPath string
		Standard   bool
		Imports    []string
	}
	all := make(map[string]listed)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[l.ImportPath] = l
	}
	checked := 0
	for path, l := range all {
		pkg, ours := strings.CutPrefix(path, modulePath)
		if !ours {
			continue
		}
		checked++
		for _, dep := range l.Imports {
			if why := violation(pkg, dep, all[dep].Standard || dep == "C"); why != "" {
				t.Errorf("%s imports %s: %s", pkg, dep, why)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d packages checked", checked)
	}
}

// The policy itself forbids what the architecture says must never be.
func TestImportPolicyForbids(t *testing.T) {
	for _, tt := range []struct {
		pkg, dep string
		ok       bool
	}{
		{"runner/sched", modulePath + "runner/strategy", false},
		{"runner/conductor", "golang.org/x/tools/go/ssa", false},
		{"runner/conductor", modulePath + "runner/detect", true},
		{"runner", modulePath + "escape", false},
		{"runner", modulePath + "instrument", false},
		{"instrument", modulePath + "runner", false},
		{"instrument", modulePath + "runner/sched", true},
		{"instrument", "golang.org/x/tools/go/packages", true},
		{"analyzers/lockorder", modulePath + "escape/lockset", true},
		{"analyzers/lockorder", modulePath + "instrument", false},
		{"runner/strategy", modulePath + "runner/conductor", false},
		{"testdata/corpus/clean/x", modulePath + "runner/sched", false},
		{"elsewhere", modulePath + "runner/sched", false},
	} {
		if why := violation(tt.pkg, tt.dep, false); (why == "") != tt.ok {
			t.Errorf("%s imports %s: %q, want allowed %v", tt.pkg, tt.dep, why, tt.ok)
		}
	}
	for pkg, policy := range importPolicy {
		allowed, _ := strings.CutPrefix(policy, "std:")
		for _, a := range strings.Fields(allowed) {
			if _, ok := policyOf(strings.TrimSuffix(a, "/...")); !ok && !slices.Contains([]string{"analyzers/...", "cmd/coopvet/...", "runner/...", "instrument/..."}, a) {
				t.Errorf("the policy of %s names %s, which has none", pkg, a)
			}
		}
	}
}
