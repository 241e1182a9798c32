package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// What the session does not look at arrives byte for byte, in both directions.
func TestPassThrough(t *testing.T) {
	st := newStage(t, fast)
	for _, msg := range []string{
		`{"jsonrpc":"2.0", "id" : 1.0,"method":"textDocument/hover","params":{"x":"\u00e4<>&","n":1e999}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a\u0062"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"y"}]`,
		`{"jsonrpc":"2.0","id":"s","result":  null }`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":[1 , 2]},"extra":true}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`,
		`not even JSON`, ``, `null`, `5`,
		`{"method":"textDocument/codeAction","id":1,"params":5}`,
		`{"method":"textDocument/publishDiagnostics","params":{"uri":"untitled:x","diagnostics":[ {} ]}}`,
		`{"method":"textDocument/publishDiagnostics","params":{"uri":"file:///x.go","diagnostics":[ {"data" : 1} ],"unknown":0}}`,
		`{"method":"textDocument/publishDiagnostics","params":[]}`,
		`{"method":"textDocument/didOpen","params":[]}`,
		`{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x.go","version":9},"contentChanges":[]}}`,
		`{"method":"workspace/configuration","id":1,"params":null}`,
		`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 3<<20) + `"}`,
	} {
		st.editor.sendRaw(msg)
		if got := st.server.receiveRaw(); got != msg {
			t.Errorf("the editor sends %.200s\nthe server gets %.200s", msg, got)
		}
		st.server.sendRaw(msg)
		if got := st.editor.receiveRaw(); got != msg {
			t.Errorf("the server sends %.200s\nthe editor gets %.200s", msg, got)
		}
	}
	if st.log.String() != "" {
		t.Error(st.log)
	}
}

// Messages that wait for a reader stay as they are and in order.
func TestQueue(t *testing.T) {
	st := newStage(t, fast)
	msg := func(i int) string { return fmt.Sprintf(`{"method":"m","params":[%d]}`, i) }
	for i := range 2000 {
		st.editor.sendRaw(msg(i))
		st.server.sendRaw(msg(-i))
	}
	for i := range 2000 {
		if got := st.server.receiveRaw(); got != msg(i) {
			t.Fatalf("the server gets %s, want %s", got, msg(i))
		}
		if got := st.editor.receiveRaw(); got != msg(-i) {
			t.Fatalf("the editor gets %s, want %s", got, msg(-i))
		}
	}
}

func TestCapabilities(t *testing.T) {
	const literals = `{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`
	for _, tt := range []struct{ name, client, server, want string }{
		{"gopls", literals,
			`{"textDocumentSync":{"change":2,"openClose":true,"save":{"includeText":true}},"codeActionProvider":{"codeActionKinds":["refactor","quickfix"],"resolveProvider":true},"hoverProvider":true}`,
			`{"codeActionProvider":{"codeActionKinds":["refactor","quickfix"],"resolveProvider":true},"hoverProvider":true,"textDocumentSync":{"change":2,"openClose":true,"save":{"includeText":true}}}`},
		{"other kinds", literals, `{"textDocumentSync":2,"codeActionProvider":{"codeActionKinds":["refactor"]}}`,
			`{"codeActionProvider":{"codeActionKinds":["refactor","quickfix"]},"textDocumentSync":{"change":2,"openClose":true,"save":true}}`},
		{"any kind", literals, `{"codeActionProvider":{"resolveProvider":true}}`,
			`{"codeActionProvider":{"resolveProvider":true},"textDocumentSync":{"change":1,"openClose":true,"save":true}}`},
		{"short", literals, `{"textDocumentSync":0,"codeActionProvider":true}`,
			`{"codeActionProvider":true,"textDocumentSync":{"change":1,"openClose":true,"save":true}}`},
		{"nothing", literals, `{}`,
			`{"codeActionProvider":{"codeActionKinds":["quickfix"]},"textDocumentSync":{"change":1,"openClose":true,"save":true}}`},
		{"no literals", `{}`, `{"textDocumentSync":{"save":false}}`, `{"textDocumentSync":{"change":1,"openClose":true,"save":true}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, fast)
			id := st.editor.call("initialize", map[string]any{"capabilities": json.RawMessage(tt.client)})
			st.server.method("initialize")
			st.server.sendRaw(`{"jsonrpc":"2.0","id":` + id + `,"result":{"capabilities":` + tt.server + `,"serverInfo":{"name":"s"}}}`)
			got := string(st.editor.answer(id).Result)
			if want := `{"capabilities":` + tt.want + `,"serverInfo":{"name":"s"}}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	t.Run("error", func(t *testing.T) {
		st := newStage(t, fast)
		id := st.editor.call("initialize", map[string]any{})
		msg := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":1,"message":"no"}}`
		st.server.sendRaw(msg)
		if got := st.editor.receiveRaw(); got != msg {
			t.Error(got)
		}
	})
}

// workspace makes a module of the given files and returns its directory.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	return dir
}

func writeFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// diag is a finding on one line, with columns from 1.
func diag(path, message string, line, from, to int) driver.Diagnostic {
	return driver.Diagnostic{
		Check: "blocked", Message: message, URL: "https://example.org/#x",
		Position: driver.Position{File: path, Line: line, Column: from},
		End:      driver.Position{File: path, Line: line, Column: to},
	}
}

const onePackage = "package p\n\nvar ä, bad = 1, 2\n"

func TestPublish(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage, "q.go": "package p\n"})
	p, q := filepath.Join(dir, "p.go"), filepath.Join(dir, "q.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	found := diag(p, "bad thing", 3, 9, 12)
	found.Related = []driver.Related{{Position: driver.Position{File: q, Line: 1, Column: 1}, Message: "related"}}
	st.source.returns(found)
	st.editor.open(p, onePackage, 1)

	// Ours alone, in the units of the editor.
	s := st.editor.messages(uriOf(p), "2:7-2:10 bad thing")
	d := s.diagnostics[0]
	if s.version != 1 || d.Source != "coopvet" || d.Code != "blocked" || d.Severity != severityWarning || d.Description.Href != "https://example.org/#x" {
		t.Errorf("version %d, %+v", s.version, d)
	}
	if len(d.Related) != 1 || d.Related[0] != (relatedInformation{location{uriOf(q), span{}}, "related"}) {
		t.Errorf("related: %+v", d.Related)
	}
	// With the server's, whose unknown members are kept.
	server := func(version int, list string) {
		st.server.sendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":%q,"version":%d,"diagnostics":%s}}`, uriOf(p), version, list))
	}
	const theirs = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"theirs","data":{"x":1}}`
	server(1, "["+theirs+"]")
	m := st.editor.method("textDocument/publishDiagnostics")
	if !strings.Contains(string(m.Params), theirs) {
		t.Errorf("%s lacks %s", m.Params, theirs)
	}
	if _, s := decodeShown(t, m.Params); s.messages() != "0:0-0:1 theirs; 2:7-2:10 bad thing" || s.version != 1 {
		t.Errorf("version %d: %s", s.version, s.messages())
	}
	// A change moves ours; the server is first with the new version.
	st.source.set(func(ctx context.Context, _ driver.Config) ([]driver.Diagnostic, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	st.editor.change(p, 2, contentChange{&span{position{1, 0}, position{1, 0}}, "// x\n"})
	st.server.method("textDocument/didChange")
	server(2, "["+theirs+"]")
	if s := st.editor.messages(uriOf(p), "0:0-0:1 theirs; 3:7-3:10 bad thing"); s.version != 2 {
		t.Errorf("version %d", s.version)
	}
	// It is corrected; the server's stay.
	st.source.returns()
	st.editor.change(p, 3, contentChange{&span{position{3, 7}, position{3, 10}}, "good"})
	st.server.method("textDocument/didChange")
	server(3, "["+theirs+"]")
	if s := st.editor.messages(uriOf(p), "0:0-0:1 theirs"); s.version != 3 {
		t.Errorf("version %d", s.version)
	}
	// Closing the last file of the package ends the findings in all its files.
	st.source.returns(diag(p, "again", 1, 1, 2), diag(q, "elsewhere", 1, 1, 2))
	st.editor.document("textDocument/didSave", p)
	st.editor.messages(uriOf(q), "0:0-0:1 elsewhere")
	st.editor.document("textDocument/didClose", p)
	st.editor.messages(uriOf(q), "")
}

// The server's diagnostics of an old version are not shown as those of the new one: ours
// wait for the server, but not for ever.
func TestServerIsLate(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.editor.open(p, onePackage, 1)
	st.source.call(t)
	const theirs = `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"theirs"}]`
	st.server.sendRaw(`{"method":"textDocument/publishDiagnostics","params":{"uri":"` + uriOf(p) + `","version":1,"diagnostics":` + theirs + `}}`)
	st.editor.messages(uriOf(p), "0:0-0:1 theirs")
	st.source.returns(diag(p, "bad thing", 3, 1, 4))
	st.editor.change(p, 2, contentChange{Text: onePackage + "\n"})
	if s := st.editor.published(uriOf(p), "any", func(shown) bool { return true }); s.version != -1 || s.messages() != "0:0-0:1 theirs; 2:0-2:3 bad thing" {
		t.Errorf("version %d: %s", s.version, s.messages())
	}
}

// Without related information, the places are in the message.
func TestPoorEditor(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, `{}`)
	found := diag(p, "bad thing", 3, 1, 4)
	found.Related = []driver.Related{{Position: found.Position, Message: "related"}}
	st.source.returns(found)
	st.editor.open(p, onePackage, 1)
	st.editor.messages(uriOf(p), "2:0-2:3 bad thing\np.go:3: related")
}

func TestOverlay(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage, "sub/s.go": "package s\n", "vendor/v/v.go": "package v\n"})
	p, sub := filepath.Join(dir, "p.go"), filepath.Join(dir, "sub/s.go")
	st := newStage(t, fast)
	st.startWith(dir, allCapabilities, `{"build.buildFlags":["-tags=a"],"env":{"X":"1","N":2}}`)
	st.editor.open(filepath.Join(dir, "vendor/v/v.go"), "package v\n", 1)
	st.editor.open("/elsewhere/x.go", "package x\n", 1)
	st.editor.open(p, onePackage, 1)
	cfg := st.source.call(t)
	if cfg.Dir != dir || !slices.Equal(cfg.Patterns, []string{"./."}) || len(cfg.Overlay) != 0 || !cfg.Tests || !slices.Equal(cfg.BuildFlags, []string{"-tags=a"}) ||
		!slices.Contains(cfg.Env, "X=1") || slices.Contains(cfg.Env, "N=2") || cfg.Env[len(cfg.Env)-1] != "PWD="+dir {
		t.Errorf("%+v", cfg)
	}
	st.editor.open(sub, "package s\n", 1)
	if cfg := st.source.call(t); !slices.Equal(cfg.Patterns, []string{"./.", "./sub"}) {
		t.Errorf("%v", cfg.Patterns)
	}
	st.editor.change(p, 2, contentChange{&span{position{0, 8}, position{0, 9}}, "pp"}, contentChange{&span{position{0, 10}, position{0, 10}}, "p"})
	cfg = st.source.call(t)
	if want := strings.Replace(onePackage, " p", " ppp", 1); len(cfg.Overlay) != 1 || string(cfg.Overlay[p]) != want {
		t.Errorf("overlay %q, want %q", cfg.Overlay, want)
	}
	writeFile(t, p, string(cfg.Overlay[p]))
	st.editor.document("textDocument/didSave", p)
	if cfg := st.source.call(t); len(cfg.Overlay) != 0 {
		t.Errorf("overlay %q after saving", cfg.Overlay)
	}
}

// Settings come also as the answer to a request of the server.
func TestConfiguration(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.editor.open(filepath.Join(dir, "p.go"), onePackage, 1)
	if cfg := st.source.call(t); len(cfg.BuildFlags) != 0 {
		t.Error(cfg.BuildFlags)
	}
	st.server.sendRaw(`{"jsonrpc":"2.0","id":3,"method":"workspace/configuration","params":{"items":[{"section":"gopls"},{"section":"other"}]}}`)
	st.editor.method("workspace/configuration")
	st.editor.sendRaw(`{"jsonrpc":"2.0","id":3,"result":[{"build":{"buildFlags":["-tags=b"]}},{"buildFlags":["-tags=no"]}]}`)
	if cfg := st.source.call(t); !slices.Equal(cfg.BuildFlags, []string{"-tags=b"}) {
		t.Error(cfg.BuildFlags)
	}
	st.server.await("the answer", (*message).isResponse)
}

// Folders may come and go.
func TestFolders(t *testing.T) {
	a := workspace(t, map[string]string{"p.go": onePackage})
	b := workspace(t, map[string]string{"p.go": onePackage})
	st := newStage(t, fast)
	st.start(a, allCapabilities)
	st.editor.open(filepath.Join(b, "p.go"), onePackage, 1)
	folders := func(added, removed []folder) {
		st.editor.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}})
	}
	folders([]folder{{uriOf(b)}}, nil)
	if cfg := st.source.call(t); cfg.Dir != b {
		t.Errorf("analysis of %s, not of %s", cfg.Dir, b)
	}
	st.editor.open(filepath.Join(a, "p.go"), onePackage, 1)
	dirs := []string{st.source.call(t).Dir, st.source.call(t).Dir}
	if !slices.Contains(dirs, a) || !slices.Contains(dirs, b) {
		t.Errorf("analyses of %v", dirs)
	}
	folders(nil, []folder{{uriOf(b)}})
	if cfg := st.source.call(t); cfg.Dir != a {
		t.Errorf("analysis of %s", cfg.Dir)
	}
}

// A newer document cancels the analysis, and its results do not count.
func TestSuperseded(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	cancelled := make(chan bool)
	st.source.set(func(ctx context.Context, _ driver.Config) ([]driver.Diagnostic, error) {
		<-ctx.Done()
		close(cancelled)
		return []driver.Diagnostic{diag(p, "old", 1, 1, 2)}, nil
	})
	st.editor.open(p, onePackage, 1)
	st.source.call(t)
	st.source.returns(diag(p, "new", 1, 1, 2))
	st.editor.change(p, 2, contentChange{Text: onePackage + "\n"})
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Fatal("the analysis is not cancelled")
	}
	if s := st.editor.published(uriOf(p), "any", func(shown) bool { return true }); s.messages() != "0:0-0:1 new" || s.version != 2 {
		t.Errorf("version %d: %s", s.version, s.messages())
	}
}

// Neither an analysis that never ends nor a side that does not read keeps the other waiting.
func TestNobodyWaits(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.source.set(func(ctx context.Context, _ driver.Config) ([]driver.Diagnostic, error) {
		select {} // does not even heed its context
	})
	st.editor.open(p, onePackage, 1)
	st.source.call(t)
	// The peers read into a buffer of 10000 messages: this is more.
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 15000 {
			st.editor.change(p, 2+i, contentChange{&span{End: position{0, 1}}, "p"})
			st.server.sendRaw(`{"method":"textDocument/publishDiagnostics","params":{"uri":"` + uriOf(p) + `","diagnostics":[]}}`)
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("a side waits")
	}
}

// A package that cannot be analysed keeps its findings, and does not hide those of others.
func TestBrokenPackage(t *testing.T) {
	dir := workspace(t, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n"})
	a, b := filepath.Join(dir, "a/a.go"), filepath.Join(dir, "b/b.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.source.returns(diag(a, "old", 1, 1, 2))
	st.editor.open(a, "package a\n", 1)
	st.editor.messages(uriOf(a), "0:0-0:1 old")
	st.source.set(func(_ context.Context, cfg driver.Config) ([]driver.Diagnostic, error) {
		var err error
		if slices.Contains(cfg.Patterns, "./a") {
			err = &driver.LoadError{Output: "a.go: syntax error"}
		}
		if slices.Contains(cfg.Patterns, "./b") && len(cfg.Patterns) == 1 {
			return []driver.Diagnostic{diag(b, "new", 1, 1, 2)}, err
		}
		return nil, err
	})
	st.editor.open(b, "package b\n", 1)
	st.editor.messages(uriOf(b), "0:0-0:1 new")
	st.server.sendRaw(`{"method":"textDocument/publishDiagnostics","params":{"uri":"` + uriOf(a) + `","diagnostics":[]}}`)
	st.editor.messages(uriOf(a), "0:0-0:1 old")
	if st.log.String() != "" {
		t.Errorf("build errors are logged: %s", st.log)
	}
	// An error of the analysis itself is logged, once.
	st.source.set(func(context.Context, driver.Config) ([]driver.Diagnostic, error) {
		return nil, errors.New("no go command")
	})
	for range 2 {
		for len(st.source.calls) > 0 {
			<-st.source.calls
		}
		st.editor.document("textDocument/didSave", a)
		st.source.call(t)
	}
	st.source.returns(diag(a, "old", 1, 1, 2), diag(b, "newest", 1, 1, 2))
	st.editor.document("textDocument/didSave", a)
	st.editor.messages(uriOf(b), "0:0-0:1 newest")
	if got := st.log.String(); got != "coopvet: the analysis failed: no go command\n" {
		t.Errorf("log %q", got)
	}
}

// A panic of ours ends coopvet's part, not the session.
func TestPanic(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	p := filepath.Join(dir, "p.go")
	st := newStage(t, fast)
	st.start(dir, allCapabilities)
	st.source.set(func(context.Context, driver.Config) ([]driver.Diagnostic, error) { panic("oops") })
	st.editor.open(p, onePackage, 1)
	st.server.method("textDocument/didOpen")
	st.source.call(t)
	for deadline := time.Now().Add(patience); !strings.Contains(st.log.String(), "oops"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the panic is not logged")
		}
	}
	const msg = `{"method":"textDocument/didSave", "params":{"textDocument":{"uri":"file:///x.go"}}}`
	st.editor.sendRaw(msg)
	if got := st.server.receiveRaw(); got != msg {
		t.Error(got)
	}
	st.server.sendRaw(msg)
	if got := st.editor.receiveRaw(); got != msg {
		t.Error(got)
	}
}
