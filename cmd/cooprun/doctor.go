package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coopvet/coop/runner/report"
)

//go:embed testdata/selftest/account.go
var selfTestSource []byte

//go:embed testdata/selftest/account_test.go
var selfTestTests []byte

// doctor checks that the patch fits the Go installation and works: it prints a line
// per check and stops at the first that fails.
func doctor(ctx context.Context, args, env []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usageError("doctor takes no arguments")
	}
	c, err := parseFlags(nil, env, io.Discard)
	if err != nil {
		return err
	}
	ok := func(format string, args ...any) {
		fmt.Fprintf(stdout, "ok    %s\n", fmt.Sprintf(format, args...))
	}
	tc, err := prepare(ctx, c)
	if err != nil {
		fmt.Fprintf(stdout, "FAIL  patching the Go toolchain\n")
		return err
	}
	ok("%s in %s", tc.Version, tc.Origin)
	ok("patched copy in %s", tc.GOROOT)
	for _, check := range tc.Checks {
		ok("edit %s", check)
	}

	dir, err := os.MkdirTemp("", "cooprun-doctor-*")
	if err != nil {
		return usageError("%w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string][]byte{
		"go.mod":          []byte("module selftest\n\ngo 1.25\n"),
		"account.go":      selfTestSource,
		"account_test.go": selfTestTests,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return usageError("%w", err)
		}
	}
	// The test must meet the toolchain that was checked, whatever the directory says.
	c.dir, c.opts.WorkingDir, c.patterns = dir, dir, []string{"."}
	c.env = append(slices.Clone(env), "GOTOOLCHAIN=local", "GOWORK=off")
	var events selfTest
	prog, err := list(ctx, c, tc)
	if err != nil {
		return err
	}
	r := &run{config: c, handler: &events}
	for b := range buildAll(ctx, c, tc, prog) {
		r.pkg(ctx, b, nil)
	}
	if err := r.end(ctx); !errors.Is(err, errFinding) {
		fmt.Fprintf(stdout, "FAIL  self-test: the known bug was not found\n%s", events.text())
		return fmt.Errorf("self-test: %w", errors.Join(err, errors.New("the known bug was not found")))
	}
	if err := events.check(ok); err != nil {
		fmt.Fprintf(stdout, "FAIL  self-test: %v\n%s", err, events.text())
		return fmt.Errorf("self-test: %w", err)
	}
	return nil
}

// selfTest keeps what the self-test's run reports.
type selfTest struct{ events []report.Event }

func (s *selfTest) Handle(e report.Event) { s.events = append(s.events, e) }

// text returns the events as text, for bug reports.
func (s *selfTest) text() string {
	var b strings.Builder
	h := report.NewText(&b, report.TextStyle{Verbose: true})
	for _, e := range s.events {
		h.Handle(e)
	}
	return b.String()
}

// check compares the events with what is known of the self-test's program.
func (s *selfTest) check(ok func(string, ...any)) error {
	for _, e := range s.events {
		switch e := e.(type) {
		case report.Build:
			if e.Sites == 0 {
				return errors.New("no memory access was instrumented")
			}
			ok("self-test built, %d memory accesses instrumented", e.Sites)
		case report.Finding:
			if !e.Reproduced {
				return fmt.Errorf("the failure of %s does not repeat", e.Test)
			}
			ok("self-test %s: found %s: %s", e.Test, e.Kind, report.Sentence(&e))
		case report.TestResult:
			want := report.Pass
			if strings.HasSuffix(e.Test, "Bug") {
				want = report.Fail
			}
			if e.Status != want {
				return fmt.Errorf("%s: %s instead of %s", e.Test, e.Status, want)
			}
			if want == report.Pass {
				ok("self-test %s: passes under %d schedules, %d different", e.Test, e.Trials, e.Distinct)
			}
		}
	}
	return nil
}
