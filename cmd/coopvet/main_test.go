package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// TestMain lets the test binary be the tool that "go vet" runs.
func TestMain(m *testing.M) {
	if isUnit(os.Args[1:]) {
		runUnit()
	}
	os.Exit(m.Run())
}

const queue = `package m

import "sync"

type Queue struct {
	mu    sync.Mutex
	cond  sync.Cond
	items []int
}

func (q *Queue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		/* ä */ q.cond.Wait()
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item
}
`

const message = "Wait is not called in a loop: when it returns, the condition need not hold"

// module makes a module of the given files the current directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.26\n"
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// coopvet runs the command.
func coopvet(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	err := Run(context.Background(), os.Environ(), args, strings.NewReader(""), &out, &errs)
	code = exitCode(err, &errs)
	return code, out.String(), errs.String()
}

func TestText(t *testing.T) {
	module(t, map[string]string{"q.go": queue})
	code, out, errs := coopvet(t, ".")
	want := "q.go:15:12: " + message + " (condwait)\n\tq.go:14:2: the condition is tested once, here\n"
	if code != codeFinding || out != want || errs != "" {
		t.Errorf("code %d, stderr %q, output\n%swant\n%s", code, errs, out, want)
	}
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		args   []string
		code   int
		stderr string
	}{
		{"clean", map[string]string{"q.go": strings.Replace(queue, "if len", "for len", 1)}, []string{"."}, 0, ""},
		{"other checks", map[string]string{"q.go": queue}, []string{"-checks=blocked", "."}, 0, ""},
		{"unknown check", map[string]string{"q.go": queue}, []string{"-checks=nothing", "."}, codeUsage, `no check "nothing"`},
		{"unknown flag", map[string]string{"q.go": queue}, []string{"-nothing", "."}, codeUsage, "not defined"},
		{"no package", map[string]string{"q.go": queue}, []string{"./nothing"}, codeUsage, "nothing"},
		{"type error", map[string]string{"q.go": "package m\n\nvar x int = \"\"\n"}, []string{"."}, codeUsage, "q.go:3"},
		{"two formats", map[string]string{"q.go": queue}, []string{"-json", "-sarif", "."}, codeUsage, "exclude"},
		{"no baseline", map[string]string{"q.go": queue}, []string{"-baseline=none", "."}, codeUsage, "none"},
		{"test file", map[string]string{"q.go": "package m\n", "q_test.go": queue}, []string{"."}, codeFinding, ""},
		{"without tests", map[string]string{"q.go": "package m\n", "q_test.go": queue}, []string{"-tests=false", "."}, 0, ""},
		{"build tag", map[string]string{"q.go": "package m\n", "tagged.go": "//go:build x\n\n" + queue}, []string{"-tags=x", "."}, codeFinding, ""},
		{"no build tag", map[string]string{"q.go": "package m\n", "tagged.go": "//go:build x\n\n" + queue}, []string{"."}, 0, ""},
		{"ignored", map[string]string{"q.go": strings.Replace(queue, "Wait()", "Wait() //coopvet:ignore condwait for the test", 1)}, []string{"."}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			module(t, tt.files)
			code, out, errs := coopvet(t, tt.args...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) {
				t.Errorf("code %d, want %d; stdout %s\nstderr %s\nwant %q", code, tt.code, out, errs, tt.stderr)
			}
		})
	}
}

// What can be analysed is reported although another package has an error.
func TestHalf(t *testing.T) {
	module(t, map[string]string{"q.go": queue, "bad/bad.go": "package bad\n\nvar x int = \"\"\n"})
	code, out, errs := coopvet(t, "./...")
	if code != codeUsage || !strings.Contains(out, message) || !strings.Contains(errs, "bad.go:3") {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestFix(t *testing.T) {
	dir := module(t, map[string]string{"q.go": queue})
	if code, out, errs := coopvet(t, "-fix", "."); code != 0 {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
	got, err := os.ReadFile(filepath.Join(dir, "q.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(queue, "if len", "for len", 1); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	dir := module(t, map[string]string{"q.go": queue})
	code, out, _ := coopvet(t, "-json", ".")
	var got jsonOutput
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != codeFinding {
		t.Fatalf("code %d, error %v", code, err)
	}
	if got.Schema != jsonSchema || len(got.Findings) != 1 {
		t.Fatalf("schema %d, %d findings", got.Schema, len(got.Findings))
	}
	d := got.Findings[0]
	if d.Check != "condwait" || d.Category != "noloop" || d.Message != message || d.Package != "m" || d.Function != "(*Queue).Get" ||
		d.Position != (driver.Position{File: filepath.Join(dir, "q.go"), Line: 15, Column: 12}) ||
		d.URL != "https://pkg.go.dev/github.com/coopvet/coop/analyzers/condwait#noloop" || len(d.Related) != 1 || len(d.Fixes) != 1 {
		t.Errorf("got %+v", d)
	}
	if code, out, _ = coopvet(t, "-json", "-checks=blocked", "."); code != 0 || !strings.Contains(out, `"findings": []`) {
		t.Errorf("code %d, output %s", code, out)
	}
}

func TestSARIF(t *testing.T) {
	dir := module(t, map[string]string{"sub/q.go": queue})
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir("sub")
	code, out, _ := coopvet(t, "-sarif", ".")
	log, err := sarif.FromString(out)
	if err != nil || code != codeFinding {
		t.Fatalf("code %d, error %v", code, err)
	}
	if err := log.Validate(); err != nil {
		t.Error(err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatal("not one result")
	}
	r := log.Runs[0].Results[0]
	at := r.Locations[0].PhysicalLocation
	// What code scanning asks for: a rule, a message, a path relative to the repository.
	if *r.RuleID != "condwait" || *r.Message.Text != message || *at.ArtifactLocation.URI != "sub/q.go" {
		t.Errorf("rule %s, message %s, path %s", *r.RuleID, *r.Message.Text, *at.ArtifactLocation.URI)
	}
	// Columns count code points: the line has a letter of two bytes before the call.
	if *at.Region.StartLine != 15 || *at.Region.StartColumn != 11 {
		t.Errorf("at %d:%d, want 15:11", *at.Region.StartLine, *at.Region.StartColumn)
	}
	if len(r.RelatedLocations) != 1 || len(r.Fixes) != 1 || r.PartialFingerprints[fingerprintKey] == "" {
		t.Errorf("related %d, fixes %d, fingerprints %v", len(r.RelatedLocations), len(r.Fixes), r.PartialFingerprints)
	}
	if rule := log.Runs[0].Tool.Driver.Rules[log.Runs[0].Results[0].RuleIndex]; *rule.ID != "condwait" || *rule.HelpURI == "" {
		t.Errorf("rule %s", *rule.ID)
	}
}

// Known findings stay known when code moves; a second one like it is new.
func TestBaseline(t *testing.T) {
	dir := module(t, map[string]string{"q.go": queue})
	if code, out, errs := coopvet(t, "-write-baseline=known.json", "."); code != 0 || out != "" {
		t.Fatalf("code %d, stdout %q, stderr %q", code, out, errs)
	}
	edit := func(old, new string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "q.go"), []byte(strings.Replace(queue, old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		old, new string
		findings int
	}{
		{"", "", 0},
		{"type Queue", "// A comment\n// of two lines.\ntype Queue", 0},
		{"	item :=", "	if len(q.items) == 1 {\n		q.cond.Wait()\n	}\n	item :=", 1},
		{"Get()", "Take()", 1}, // another function
	} {
		edit(tt.old, tt.new)
		code, out, _ := coopvet(t, "-baseline=known.json", ".")
		if got := strings.Count(out, message); got != tt.findings || code != min(tt.findings, codeFinding) {
			t.Errorf("%q: code %d, %d findings, want %d", tt.new, code, got, tt.findings)
		}
	}
}

func TestBaselineSchema(t *testing.T) {
	module(t, map[string]string{"q.go": "package m\n", "known.json": `{"schema": 99}`})
	if code, _, errs := coopvet(t, "-baseline=known.json", "."); code != codeUsage || !strings.Contains(errs, "schema 99") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
}

func TestHelp(t *testing.T) {
	code, out, _ := coopvet(t, "help")
	if code != 0 || !strings.Contains(out, "-write-baseline") || !strings.Contains(out, "condwait     report sync.Cond.Wait") {
		t.Errorf("code %d, output\n%s", code, out)
	}
	if code, out, _ = coopvet(t, "help", "condwait"); code != 0 || !strings.Contains(out, "Category signal") {
		t.Errorf("code %d, output\n%s", code, out)
	}
	if code, _, _ = coopvet(t, "help", "nothing"); code != codeUsage {
		t.Errorf("code %d", code)
	}
}

// Every flag is documented and every documented flag exists.
func TestUsage(t *testing.T) {
	for _, f := range []string{"fix", "json", "sarif", "checks", "tests", "tags", "baseline", "write-baseline"} {
		if !strings.Contains(usage(), "\n\t-"+f) {
			t.Errorf("-%s is not documented", f)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errFinding, codeFinding},
		{usageError("x"), codeUsage},
		{&driver.LoadError{Output: "x"}, codeUsage},
		{&driver.LoadError{Output: "x", Internal: true}, codeInternal},
		{context.Canceled, codeUsage},
		{errors.New("x"), codeInternal},
	} {
		if got := exitCode(tt.err, new(strings.Builder)); got != tt.code {
			t.Errorf("%v: code %d, want %d", tt.err, got, tt.code)
		}
	}
}

// TestAskedLater: a package of which only facts were wanted at first is examined when it is
// asked for.
func TestAskedLater(t *testing.T) {
	module(t, map[string]string{"m.go": queue, "use/use.go": "package use\n\nimport _ \"m\"\n"})
	if code, out, errs := coopvet(t, "./use"); code != 0 || out != "" {
		t.Errorf("of what nothing is wrong with: code %d\n%s%s", code, out, errs)
	}
	if code, out, _ := coopvet(t, "."); code != codeFinding || !strings.Contains(out, message) {
		t.Errorf("code %d\n%s", code, out)
	}
}
