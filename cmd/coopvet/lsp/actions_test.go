package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// fixable is a finding at "bad" of onePackage with a fix.
func fixable(path string) driver.Diagnostic {
	d := diag(path, "bad thing", 3, 9, 12)
	at := strings.Index(onePackage, "bad")
	d.Fixes = []driver.Fix{{Message: "Make it good", Edits: []driver.Edit{{File: path, Start: at, End: at + 3, New: "good"}}}}
	return d
}

// ask asks for code actions and returns the server's answer, or its error, with ours.
func (st *stage) ask(path, only string, line, character int, answer string) *message {
	st.editor.t.Helper()
	id := st.editor.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uriOf(path)},
		"range":        span{position{line, character}, position{line, character}},
		"context":      json.RawMessage(`{"only":` + only + `,"diagnostics":[],"triggerKind":1}`),
	})
	st.server.method("textDocument/codeAction")
	st.server.sendRaw(`{"jsonrpc":"2.0","id":` + id + `,` + answer + `}`)
	return st.editor.answer(id)
}

func titles(m *message) string {
	var list []struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(m.Result, &list) != nil {
		return "error " + string(m.Error)
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Title)
	}
	return strings.Join(names, ", ")
}

func TestCodeActions(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.source.returns(fixable(p))
	st.editor.open(p, onePackage, 7)
	st.editor.messages(uriOf(p), "2:7-2:10 bad thing")

	const theirs = `"result":[{"title":"theirs","kind":"refactor","data":{"x":1}}]`
	for _, tt := range []struct {
		name, only, answer string
		character          int
		want               string
	}{
		{"both", `null`, theirs, 8, "theirs, Make it good"},
		{"kind", `["quickfix"]`, theirs, 8, "theirs, Make it good"},
		{"any kind", `["", "x"]`, theirs, 8, "theirs, Make it good"},
		{"other kind", `["source.fixAll"]`, theirs, 8, "theirs"},
		{"before", `[]`, theirs, 6, "theirs"},
		{"at the start", `[]`, theirs, 7, "theirs, Make it good"},
		{"at the end", `[]`, theirs, 10, "theirs, Make it good"},
		{"behind", `[]`, theirs, 11, "theirs"},
		{"nothing", `[]`, `"result":null`, 8, "Make it good"},
		{"error", `[]`, `"error":{"code":-32603,"message":"broken"}`, 8, "Make it good"},
		{"cancelled", `[]`, `"error":{"code":-32800,"message":"cancelled"}`, 8, `error {"code":-32800,"message":"cancelled"}`},
	} {
		if got := titles(st.ask(p, tt.only, 2, tt.character, tt.answer)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	var actions []codeAction
	m := st.ask(p, `[]`, 2, 8, theirs)
	if err := json.Unmarshal(m.Result, &actions); err != nil || !strings.Contains(string(m.Result), `{"title":"theirs","kind":"refactor","data":{"x":1}}`) {
		t.Fatalf("%v: %s", err, m.Result)
	}
	ours := actions[1]
	want := `{"documentChanges":[{"textDocument":{"uri":"` + uriOf(p) + `","version":7},"edits":[{"range":{"start":{"line":2,"character":7},"end":{"line":2,"character":10}},"newText":"good"}]}]}`
	if got := string(encode(ours.Edit)); got != want || !ours.IsPreferred || ours.Kind != kindQuickFix || len(ours.Diagnostics) != 1 || ours.Diagnostics[0].Message != "bad thing" {
		t.Errorf("%+v\nedit %s\nwant %s", ours, got, want)
	}
	// It is complete: resolving is no business of the server's.
	id := st.editor.call("codeAction/resolve", ours)
	if got := st.editor.answer(id); string(got.Result) != string(encode(ours)) {
		t.Errorf("resolved: %s", got.Result)
	}
	st.editor.sendRaw(`{"jsonrpc":"2.0","id":1,"method":"codeAction/resolve","params":{"data":{"x":1}}}`)
	st.server.method("codeAction/resolve")

	// A fix is for the text that was analysed.
	st.source.set(func(ctx context.Context, _ driver.Config) ([]driver.Diagnostic, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	st.editor.change(p, 8, contentChange{&span{}, "\n"})
	if got := titles(st.ask(p, `[]`, 3, 8, theirs)); got != "theirs" {
		t.Errorf("after a change: %s", got)
	}
	st.editor.change(p, 9, contentChange{&span{position{0, 0}, position{1, 0}}, ""})
	m = st.ask(p, `[]`, 2, 8, theirs)
	if got := titles(m); got != "theirs, Make it good" || !strings.Contains(string(m.Result), `"version":9`) {
		t.Errorf("after undoing it: %s", m.Result)
	}
}

// Of a file that is not open, the fix is for what is on disk.
func TestCodeActionElsewhere(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage, "q.go": "package p\n"})
	p, q := filepath.Join(dir, "p.go"), filepath.Join(dir, "q.go")
	st := newStage(t, fast)
	st.start(dir, strings.Replace(allCapabilities, `"documentChanges": true`, `"documentChanges": false`, 1))
	d := diag(p, "bad thing", 3, 9, 12)
	d.Fixes = []driver.Fix{{Message: "Rename", Edits: []driver.Edit{{File: q, Start: 8, End: 9, New: "x"}}},
		{Message: "Impossible", Edits: []driver.Edit{{File: q, Start: 8, End: 99, New: "x"}}}}
	st.source.returns(d)
	st.editor.open(p, onePackage, 1)
	st.editor.messages(uriOf(p), "2:7-2:10 bad thing")
	m := st.ask(p, `[]`, 2, 8, `"result":null`)
	if want := `"edit":{"changes":{"` + uriOf(q) + `":[{"range":{"start":{"line":0,"character":8},"end":{"line":0,"character":9}},"newText":"x"}]}}`; titles(m) != "Rename" || !strings.Contains(string(m.Result), want) {
		t.Errorf("%s\nlacks %s", m.Result, want)
	}
	writeFile(t, q, "package other\n")
	if got := titles(st.ask(p, `[]`, 2, 8, `"result":[]`)); got != "" {
		t.Errorf("a fix for another text: %s", got)
	}
}

// Our diagnostics mean nothing to the server.
func TestCodeActionContext(t *testing.T) {
	st := newStage(t, fast)
	st.start(t.TempDir(), allCapabilities)
	const format = `{"jsonrpc":"2.0","id":1,"method":"textDocument/codeAction","params":{"context":{"diagnostics":[%s],"triggerKind":1},"range":{"end":{"character":0,"line":0},"start":{"character":0,"line":0}},"textDocument":{"uri":"file:///x.go"}}}`
	const ours, theirs = `{"source":"coopvet","message":"a"}`, `{"source":"compiler","message":"b"}`
	st.editor.sendRaw(strings.Replace(format, "%s", ours+","+theirs, 1))
	var got, want any
	json.Unmarshal([]byte(st.server.receiveRaw()), &got)
	json.Unmarshal([]byte(strings.Replace(format, "%s", theirs, 1)), &want)
	if string(encode(got)) != string(encode(want)) {
		t.Errorf("the server gets %s", encode(got))
	}
	all := strings.Replace(format, "%s", theirs, 1)
	st.editor.sendRaw(all)
	if got := st.server.receiveRaw(); got != all {
		t.Errorf("the server gets %s", got)
	}
}

// An editor without literal code actions gets none.
func TestNoLiterals(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, `{}`)
	st.source.returns(fixable(p))
	st.editor.open(p, onePackage, 1)
	st.editor.messages(uriOf(p), "2:7-2:10 bad thing")
	if got := titles(st.ask(p, `[]`, 2, 8, `"result":[]`)); got != "" {
		t.Error(got)
	}
}

// Once the editor asks for diagnostics, ours are in the answers, not published; when they
// change, it is told to ask again.
func TestPull(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.source.returns(fixable(p))
	st.editor.open(p, onePackage, 1)
	st.editor.messages(uriOf(p), "2:7-2:10 bad thing")

	pull := func(result string) *message {
		t.Helper()
		id := st.editor.call("textDocument/diagnostic", map[string]any{
			"textDocument": map[string]any{"uri": uriOf(p)}, "previousResultId": "r",
		})
		m := st.server.method("textDocument/diagnostic")
		if strings.Contains(string(m.Params), "previousResultId") || !strings.Contains(string(m.Params), uriOf(p)) {
			t.Errorf("the server gets %s", m.Params)
		}
		st.server.sendRaw(`{"jsonrpc":"2.0","id":` + id + `,` + result + `}`)
		return st.editor.answer(id)
	}
	items := func(m *message) string {
		t.Helper()
		var report struct {
			Items    []diagnostic `json:"items"`
			ResultID string       `json:"resultId"`
		}
		if err := json.Unmarshal(m.Result, &report); err != nil || report.ResultID != "s" {
			t.Fatalf("%v: %s", err, m.Result)
		}
		return shown{diagnostics: report.Items}.messages()
	}
	const theirs = `"result":{"kind":"full","resultId":"s","items":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"theirs"}]}`
	m := pull(theirs)
	if got := items(m); got != "0:0-0:1 theirs; 2:7-2:10 bad thing" {
		t.Errorf("pulled: %s", got)
	}
	if m := pull(`"error":{"code":1,"message":"no"}`); !m.failed() {
		t.Errorf("an error becomes %s", m.Result)
	}
	st.source.returns()
	st.editor.document("textDocument/didSave", p)
	refresh := st.editor.method("workspace/diagnostic/refresh")
	if got := items(pull(theirs)); got != "0:0-0:1 theirs" {
		t.Errorf("pulled: %s", got)
	}
	// The answer is for us.
	st.editor.sendRaw(`{"jsonrpc":"2.0","id":` + string(refresh.ID) + `,"result":null}`)
	st.editor.sendRaw(`{"jsonrpc":"2.0","id":99,"result":null}`)
	if m := st.server.await("an answer", (*message).isResponse); string(m.ID) != "99" {
		t.Errorf("the server gets the answer to %s", m.ID)
	}
	// In an open file nothing of ours is published any more.
	st.source.returns(fixable(p))
	st.editor.document("textDocument/didSave", p)
	st.editor.method("workspace/diagnostic/refresh")
	st.server.sendRaw(`{"method":"textDocument/publishDiagnostics","params":{"uri":"` + uriOf(p) + `","version":1,"diagnostics":[]}}`)
	if s := st.editor.published(uriOf(p), "any", func(shown) bool { return true }); s.messages() != "" {
		t.Errorf("published: %s", s.messages())
	}
}
