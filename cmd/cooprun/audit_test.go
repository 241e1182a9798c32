package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// auditTrials are enough for the wrong claims of TestAuditFindsWrongClaims, by far.
const auditTrials = 300

// TestCorpusAudit wants what package escape claims of the corpus to be true in the
// executions of its programs, buggy and clean: races are not looked for, so that a trial
// goes on behind them.
func TestCorpusAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	auditCorpus(t, thoroughnesses[*corpusSize])
}

// TestCorpusAuditMerged wants the same of what the analysis claims when it has done so much
// that it does not tell the calls of functions apart, as of large programs.
func TestCorpusAuditMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	how := thoroughnesses[*corpusSize]
	how.work = 1
	auditCorpus(t, how)
}

func auditCorpus(t *testing.T, how thoroughness) {
	c := buildCorpus(t, how, "-audit", "-race=false", "-keep-going")
	var mu sync.Mutex
	trials, accesses := 0, report.Accesses{}
	parallel(t, slices.Concat(c.clean, c.buggy), func(t *testing.T, p *corpusProgram) {
		e := c.explore(t, p, "random", how.clean, t.TempDir())
		for _, v := range e.violations {
			t.Errorf("%s is not %s", v.Location, v.Claim)
			report.NewText(t.Output(), report.TextStyle{}).Handle(v)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range e.results {
			trials += r.Trials
			accesses.All += r.Accesses.All
			accesses.Visible += r.Accesses.Visible
		}
	})
	t.Logf("%d programs audited in %d trials, nothing is claimed of %.1f%% of the accesses", len(c.clean)+len(c.buggy), trials, 100*float64(accesses.Visible)/float64(accesses.All))
}

// TestAuditFindsWrongClaims: programs are audited with claims made by hand, of all their
// accesses. Those that are wrong are refuted, those that are right are not.
func TestAuditFindsWrongClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	c := buildCorpus(t, thoroughness{only: "mutex/leakedmap"}, "-audit", "-race=false", "-leak=false", "-run=^Test")
	for _, test := range []struct {
		program *corpusProgram
		claim   sched.Claim
		wrong   string // a part of the reason; "" if the claim is right
	}{
		{c.clean[0], sched.ClaimLocked, ""},
		{c.clean[0], sched.ClaimUnshared, "two goroutines"},
		{c.clean[0], sched.ClaimReadOnly, "written after"},
		{c.buggy[0], sched.ClaimAtomic, "a plain access"},
		{c.clean[0], sched.ClaimAny, ""},
		{c.buggy[0], sched.ClaimLocked, "no lock in common"},
		{c.buggy[0], sched.ClaimOrdered, "in no order"},
		{c.buggy[0], sched.ClaimAny, ""},
	} {
		t.Run(test.program.target.Package+" "+test.claim.String(), func(t *testing.T) {
			p := *test.program
			target := *p.target
			p.target = &target
			target.Claims = claimAll(t, target.Claims, test.claim)
			e := c.explore(t, &p, "random", auditTrials, t.TempDir())
			switch v := e.violations; {
			case test.wrong == "" && len(v) > 0:
				t.Errorf("a right claim is refuted: %+v", v)
			case test.wrong != "" && len(v) == 0:
				t.Error("a wrong claim is not refuted")
			case test.wrong != "":
				describes(t, v[0], test.wrong)
			}
		})
	}
}

// claimAll returns a file of claims for the same accesses, all of them c.
func claimAll(t *testing.T, file string, c sched.Claim) string {
	t.Helper()
	claims, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "claims")
	if err := os.WriteFile(out, bytes.Repeat([]byte{byte(c)}, len(claims)), 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

// describes wants a violation to have all that a report tells.
func describes(t *testing.T, v report.Violation, reason string) {
	t.Helper()
	if !strings.Contains(v.Reason, reason) {
		t.Errorf("the reason is %q, not %q", v.Reason, reason)
	}
	if !v.Reproduced || len(v.Accesses) != 2 {
		t.Fatalf("not repeated, or not two accesses: %+v", v)
	}
	for _, a := range v.Accesses {
		if a.Location == "" || a.File == "" || a.Line == 0 || !strings.Contains(a.Stack, a.File) {
			t.Errorf("an access without its place or stack: %+v", a)
		}
	}
}
