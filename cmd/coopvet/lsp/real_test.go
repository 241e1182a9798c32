package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// goplsVersion is the release that the tests use.
const goplsVersion = "v0.23.0"

// realGopls returns gopls from the module proxy. It is installed once, into the user's cache.
func realGopls(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds gopls")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "coopvet-test", "gopls-"+goplsVersion)
	file := filepath.Join(dir, "gopls")
	if executable(file) {
		return file
	}
	cmd := exec.Command("go", "install", "golang.org/x/tools/gopls@"+goplsVersion)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		if offline.Match(out) {
			t.Skipf("the module proxy cannot be reached: %s", out)
		}
		t.Fatalf("go install gopls: %v\n%s", err, out)
	}
	return file
}

var offline = regexp.MustCompile(`dial tcp|no such host|connection refused|i/o timeout|module lookup disabled|proxyconnect|TLS handshake timeout`)

// command builds coopvet.
func command(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "coopvet")
	if out, err := exec.Command("go", "build", "-o", file, "github.com/coopvet/coop/cmd/coopvet").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// A program is a running language server with a scripted editor.
type program struct {
	*peer
	cmd *exec.Cmd
	log *lockedBuffer
}

func run(t *testing.T, gopls, name string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	log := new(lockedBuffer)
	cmd.Env, cmd.Stderr = append(os.Environ(), GoplsVariable+"="+gopls), log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, editorOut := io.Pipe()
	cmd.Stdout = editorOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{newPeer(t, out, in), cmd, log}
	t.Cleanup(func() {
		cancel()
		out.Close()
		if cmd.ProcessState == nil {
			cmd.Wait()
		}
		if t.Failed() {
			t.Logf("log:\n%s", log)
		}
	})
	return p
}

// handshake initializes the server and answers its questions from then on.
func (p *program) handshake(dir, capabilities, options string) object {
	p.t.Helper()
	id := p.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uriOf(dir), "capabilities": json.RawMessage(capabilities),
		"workspaceFolders": []any{map[string]any{"uri": uriOf(dir), "name": "w"}}, "initializationOptions": json.RawMessage(options),
	})
	result := objectOf(p.answer(id).Result)
	p.notify("initialized", struct{}{})
	return objectOf(result["capabilities"])
}

// end ends the session and returns the exit code.
func (p *program) end(shutdown bool) int {
	p.t.Helper()
	if shutdown {
		p.answer(p.call("shutdown", nil))
	}
	p.notify("exit", nil)
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	panic("unreachable")
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
		/* ä𝄞 */ q.cond.Wait()
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item
}
`

// replaced returns the change that replaces old, which occurs once, and the new text.
func replaced(t *testing.T, content, old, with string) (contentChange, string) {
	t.Helper()
	at := strings.Index(content, old)
	if at < 0 || strings.Count(content, old) != 1 {
		t.Fatalf("%q is not once in %s", old, content)
	}
	txt := newText([]byte(content), utf16Units)
	return contentChange{&span{txt.position(at), txt.position(at + len(old))}, with}, strings.Replace(content, old, with, 1)
}

// has waits until the diagnostics of a file are from the given sources with the given
// messages, in any order.
func (p *program) has(path string, want map[string]string) shown {
	p.t.Helper()
	return p.published(uriOf(path), "those diagnostics", func(s shown) bool {
		left := len(s.diagnostics)
		for message, source := range want {
			for _, d := range s.diagnostics {
				if d.Source == source && strings.Contains(d.Message, message) {
					left--
				}
			}
		}
		return left == 0 && len(s.diagnostics) == len(want)
	})
}

const (
	waitMessage   = "Wait is not called in a loop"
	unusedMessage = "declared and not used: unused"
)

// A session with the real gopls, as an editor has it: gopls's diagnostics and ours, for the
// unsaved text, actions of both, the fix, and everything else of gopls.
func TestRealGopls(t *testing.T) {
	gopls := realGopls(t)
	coopvet := command(t)
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"plain", nil},
		{"remote", []string{"-remote=auto", "-remote.listen.timeout=1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := workspace(t, map[string]string{"q.go": queue, "q_test.go": "package m\n\nimport \"testing\"\n\nfunc TestGet(t *testing.T) {}\n"})
			q := filepath.Join(dir, "q.go")
			save(t, dir, sched.Schedule{Test: "TestGet", Kind: sched.FailDeadlock, Message: "deadlock: x", Key: "deadlock x@q.go:12"})
			p := run(t, gopls, coopvet, append([]string{"gopls"}, tt.args...)...)
			capabilities := p.handshake(dir, strings.Replace(allCapabilities, "[]", `["quickfix","refactor"]`, 1), `{}`)
			if capabilities["hoverProvider"] == nil || !strings.Contains(string(capabilities["codeActionProvider"]), kindQuickFix) {
				t.Errorf("capabilities: %s", encode(capabilities))
			}
			// A saved schedule, in a file that is not open.
			p.has(filepath.Join(dir, "q_test.go"), map[string]string{"cooprun -replay testdata/coop/TestGet/deadlock-1": "coopvet"})

			p.open(q, queue, 1)
			p.has(q, map[string]string{waitMessage: "coopvet", "deadlock: x": "coopvet"})
			// Another variable that is not used, not saved: both report.
			change, content := replaced(t, queue, "item := q", "unused, item := 0, q")
			p.change(q, 2, change)
			p.has(q, map[string]string{waitMessage: "coopvet", "deadlock: x": "coopvet", unusedMessage: "compiler"})

			// The code does not compile; ours of before stay, with the fix for another text.
			change, content = replaced(t, content, "unused, item := 0, q", "item := q")
			p.change(q, 3, change)
			s := p.has(q, map[string]string{waitMessage: "coopvet", "deadlock: x": "coopvet"})
			if s.version != 3 {
				t.Errorf("version %d", s.version)
			}
			var ours diagnostic
			for _, d := range s.diagnostics {
				if strings.Contains(d.Message, waitMessage) {
					ours = d
				}
			}
			if ours.Range != (span{position{14, 12}, position{14, 25}}) || ours.Code != "condwait" || ours.Description == nil || len(ours.Related) != 1 {
				t.Errorf("%+v", ours)
			}
			action := p.fix(q, ours)
			edits := action.Edit.DocumentChanges
			if len(edits) != 1 || *edits[0].Document.Version != 3 || pathOf(edits[0].Document.URI) != q {
				t.Fatalf("edit %+v", action.Edit)
			}
			fixed := apply(newText([]byte(content), utf16Units), edits[0].Edits)
			if want := strings.Replace(queue, "if len", "for len", 1); fixed != want {
				t.Errorf("the fix makes\n%s", fixed)
			}
			p.change(q, 4, contentChange{Text: fixed})
			p.has(q, map[string]string{"deadlock: x": "coopvet"})
			writeFile(t, q, fixed)
			p.document("textDocument/didSave", q)

			// The rest is gopls.
			id := p.call("textDocument/hover", map[string]any{
				"textDocument": map[string]any{"uri": uriOf(q)}, "position": position{10, 17},
			})
			if m := p.answer(id); !strings.Contains(string(m.Result), "func (q *Queue) Get() int") {
				t.Errorf("hover: %s %s", m.Result, m.Error)
			}
			p.document("textDocument/didClose", q)
			// With -remote, gopls v0.23 ends with 2.
			alone := run(t, gopls, gopls, tt.args...)
			alone.handshake(dir, allCapabilities, `{}`)
			if code, want := p.end(true), alone.end(true); code != want {
				t.Errorf("exit code %d, that of gopls alone %d", code, want)
			}
			if strings.Contains(p.log.String(), "coopvet:") {
				t.Errorf("log: %s", p.log)
			}
		})
	}
}

// fix returns our action for d, which must be beside gopls's own actions.
func (p *program) fix(path string, d diagnostic) codeAction {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		// Until the analysis has seen the newest text there is none.
		id := p.call("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": uriOf(path)}, "range": d.Range,
			"context": map[string]any{"diagnostics": []any{d}},
		})
		m := p.answer(id)
		var all []json.RawMessage
		if err := json.Unmarshal(m.Result, &all); err != nil {
			p.t.Fatalf("code actions: %v: %s %s", err, m.Result, m.Error)
		}
		for i, raw := range all {
			var a codeAction
			if json.Unmarshal(raw, &a) == nil && a.Data.Coopvet {
				if i == 0 {
					p.t.Errorf("gopls's own actions are missing: %s", m.Result)
				}
				return a
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no action of ours: %s", m.Result)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// apply applies edits that do not overlap, the last one first.
func apply(txt *text, edits []textEdit) string {
	for i := range edits {
		e := edits[len(edits)-1-i]
		txt, _ = txt.change(contentChange{&e.Range, e.NewText})
	}
	return string(txt.content)
}

// gopls's setting pullDiagnostics: the editor asks, and gets both.
func TestRealGoplsPull(t *testing.T) {
	gopls := realGopls(t)
	dir := workspace(t, map[string]string{"q.go": queue})
	q := filepath.Join(dir, "q.go")
	p := run(t, gopls, command(t), "gopls")
	capabilities := p.handshake(dir, allCapabilities, `{"pullDiagnostics":true}`)
	if capabilities["diagnosticProvider"] == nil {
		t.Fatalf("gopls does not offer it: %s", encode(capabilities))
	}
	_, content := replaced(t, queue, "item := q", "unused, item := 0, q")
	p.open(q, content, 1)
	ask := func() string {
		id := p.call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uriOf(q)}})
		return string(p.answer(id).Result)
	}
	if got := ask(); !strings.Contains(got, unusedMessage) {
		t.Errorf("pulled: %s", got)
	}
	p.change(q, 2, contentChange{Text: queue})
	p.method("workspace/diagnostic/refresh")
	if got := ask(); !strings.Contains(got, waitMessage) || strings.Contains(got, unusedMessage) {
		t.Errorf("pulled: %s", got)
	}
	if code := p.end(true); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Exit codes are gopls's, and commands that are no language server are passed on, also under
// gopls's name.
func TestRealGoplsCommand(t *testing.T) {
	gopls := realGopls(t)
	coopvet := command(t)
	dir := workspace(t, map[string]string{"q.go": queue})
	p := run(t, gopls, coopvet, "gopls", "serve")
	p.handshake(dir, allCapabilities, `{}`)
	if code := p.end(false); code != 1 {
		t.Errorf("exit without shutdown: exit code %d", code)
	}

	link := filepath.Join(t.TempDir(), "coopvet-gopls")
	if err := os.Symlink(coopvet, link); err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command(gopls, "version", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{coopvet, "gopls", "version", "-json"}, {link, "version", "-json"}} {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env = append(os.Environ(), GoplsVariable+"="+gopls)
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v, %s", line, err, got)
		}
	}
	cmd := exec.Command(coopvet, "gopls", "nonsense")
	cmd.Env = append(os.Environ(), GoplsVariable+"="+gopls)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "nonsense") {
		t.Errorf("nonsense: %v, %s", err, out)
	}
}
