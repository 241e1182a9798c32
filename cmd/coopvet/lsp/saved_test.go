package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

const (
	bank     = "package bank\n\nfunc transfer() {\n\tlock()\n}\n\nfunc lock() {}\n"
	bankTest = "package bank\n\nimport \"testing\"\n\n// ä\nfunc TestTransfer(t *testing.T) { transfer() }\n"
)

// save writes a schedule where cooprun does.
func save(t *testing.T, dir string, s sched.Schedule) string {
	t.Helper()
	s.Package = "m/bank"
	text, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, savedDir, s.Test, string(s.Kind)+"-1")
	writeFile(t, file, string(text))
	return file
}

var race = sched.Schedule{
	Test: "TestTransfer", Kind: sched.FailRace, Message: "data race: write and write",
	Key: "race write@bank.go:4 write@sync/mutex.go:9",
}

// bankModule is a module in a folder with a space in its name.
func bankModule(t *testing.T) (root, dir string) {
	root = filepath.Join(workspace(t, nil), "a b")
	dir = filepath.Join(root, "bank")
	writeFile(t, filepath.Join(root, "go.mod"), "module m\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "bank.go"), bank)
	writeFile(t, filepath.Join(dir, "bank_test.go"), bankTest)
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"bank.go", "bank_test.go"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return root, dir
}

const raceMessage = "TestTransfer breaks under a schedule that cooprun has found\ndata race: write and write\n" +
	"replay: cooprun -replay bank/testdata/coop/TestTransfer/race-1"

// Schedules are shown without any open file, when they come, change and go.
func TestSaved(t *testing.T) {
	root, dir := bankModule(t)
	file := save(t, dir, race)
	writeFile(t, filepath.Join(dir, savedDir, "TestTransfer", "README"), "no schedule\n")
	code, test := uriOf(filepath.Join(dir, "bank.go")), uriOf(filepath.Join(dir, "bank_test.go"))
	st := newStage(t, fast)
	st.start(root, allCapabilities)

	seen := make(map[string]shown)
	st.editor.await("both places", func(m *message) bool {
		if m.Method == "textDocument/publishDiagnostics" {
			uri, s := decodeShown(t, m.Params)
			seen[uri] = s
		}
		return len(seen) == 2
	})
	if got, want := seen[test].messages(), "5:5-5:17 "+raceMessage; got != want {
		t.Errorf("at the test: %q, want %q", got, want)
	}
	if got, want := seen[code].messages(), "3:1-3:7 "+raceMessage; got != want {
		t.Errorf("at the access: %q, want %q", got, want)
	}
	d := seen[test].diagnostics[0]
	if d.Severity != severityWarning || d.Code != "race" || len(d.Related) != 1 || d.Related[0].Location.URI != code {
		t.Errorf("%+v", d)
	}

	// In an unsaved document the test is elsewhere.
	path := filepath.Join(dir, "bank_test.go")
	st.editor.open(path, "// new\n"+bankTest, 1)
	st.editor.messages(test, "6:5-6:17 "+raceMessage)
	st.editor.change(path, 2, contentChange{&span{}, "// newer\n"})
	st.editor.document("textDocument/didClose", path)
	st.editor.messages(test, "5:5-5:17 "+raceMessage)

	// The code changes: nobody knows whether the schedule still fails.
	writeFile(t, filepath.Join(dir, "bank.go"), bank)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	later := info.ModTime().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "bank.go"), later, later); err != nil {
		t.Fatal(err)
	}
	s := st.editor.published(test, "a change", func(s shown) bool { return strings.Contains(s.messages(), "before the package was changed") })
	if s.diagnostics[0].Severity != severityInformation {
		t.Errorf("%+v", s.diagnostics)
	}
	// The test goes, then the schedule.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	st.editor.published(uriOf(file), "the schedule", func(s shown) bool { return strings.Contains(s.messages(), "no such test") })
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	st.editor.messages(uriOf(file), "")
}

// A schedule for a package that had none is found when the editor tells of it.
func TestSavedWatched(t *testing.T) {
	root, dir := bankModule(t)
	st := newStage(t, fast)
	st.start(root, strings.Replace(allCapabilities, `"workspace": {`, `"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true},`, 1))
	m := st.editor.method("client/registerCapability")
	if !strings.Contains(string(m.Params), `"globPattern":"**/testdata/coop/**"`) {
		t.Errorf("%s", m.Params)
	}
	time.Sleep(5 * fast.Poll) // the workspace has been searched
	file := save(t, dir, race)
	st.editor.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uriOf(file), "type": 1}}})
	st.editor.messages(uriOf(filepath.Join(dir, "bank_test.go")), "5:5-5:17 "+raceMessage)
}

// The places are those of the key, or the last step, if they are in the package.
func TestSavedPlaces(t *testing.T) {
	_, dir := bankModule(t)
	step := sched.Decision{Task: 1, Kind: sched.Lock, Enabled: 1, File: "bank.go", Line: 3}
	for _, tt := range []struct {
		name      string
		key       string
		decisions []sched.Decision
		want      []int // lines from 0
	}{
		{"two", "deadlock blocked lock@bank.go:4; blocked wg-wait@bank_test.go:6", nil, []int{3, 5}},
		{"one twice", "race write@bank.go:4 write@bank.go:4", nil, []int{3}},
		{"elsewhere", "race write@/usr/x.go:4 write@../other.go:1", nil, nil},
		{"no line", "race write@bank.go:400 write@bank.go:x", nil, nil},
		{"last step", "panic oops", []sched.Decision{{Task: 1}, step}, []int{2}},
		{"unknown last step", "panic oops", []sched.Decision{step, {Task: 1}}, nil},
		{"key first", "race read@bank.go:4", []sched.Decision{step}, []int{3}},
	} {
		r := &reader{dir: dir, command: dir, buffers: &buffers{read: make(map[string]*text), enc: utf16Units}}
		var got []int
		for _, p := range r.places(&sched.Schedule{Key: tt.key, Decisions: tt.decisions}) {
			got = append(got, p.span.Start.Line)
		}
		if len(got) != len(tt.want) || len(got) > 0 && string(encode(got)) != string(encode(tt.want)) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
