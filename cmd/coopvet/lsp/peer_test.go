package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// patience is how long a test waits for what must come, a multiple of every delay.
const patience = 30 * time.Second

// A peer is a scripted editor or server.
type peer struct {
	t    *testing.T
	conn conn
	in   chan []byte // closed at the end of input
	next int         // id
}

// newPeer starts to read. What the peer is sent and the test does not ask for is kept.
func newPeer(t *testing.T, r io.Reader, w io.WriteCloser) *peer {
	p := &peer{t: t, conn: newConn(r, w), in: make(chan []byte, 10000)}
	go func() {
		defer close(p.in)
		for {
			msg, err := p.conn.receive()
			if err != nil {
				return
			}
			p.in <- msg
		}
	}()
	return p
}

func (p *peer) sendRaw(msg string) {
	p.t.Helper()
	if err := p.conn.ch.Send([]byte(msg)); err != nil {
		p.t.Fatalf("send: %v", err)
	}
}

func (p *peer) notify(method string, params any) {
	p.t.Helper()
	p.sendRaw(string(notification(method, params)))
}

// receiveRaw returns the next message.
func (p *peer) receiveRaw() string {
	p.t.Helper()
	select {
	case msg, ok := <-p.in:
		if !ok {
			p.t.Fatal("the connection is closed")
		}
		return string(msg)
	case <-time.After(patience):
		p.t.Fatal("no message")
	}
	panic("unreachable")
}

// await returns the first message that f accepts, and drops those before.
func (p *peer) await(what string, f func(*message) bool) *message {
	p.t.Helper()
	var seen []string
	deadline := time.After(patience)
	for {
		select {
		case msg, ok := <-p.in:
			if !ok {
				p.t.Fatalf("the connection is closed before %s; messages:\n%s", what, strings.Join(seen, "\n"))
			}
			m := new(message)
			if json.Unmarshal(msg, m) == nil && f(m) {
				return m
			}
			seen = append(seen, fmt.Sprintf("%.400s", msg))
		case <-deadline:
			p.t.Fatalf("no %s; messages:\n%s", what, strings.Join(seen, "\n"))
		}
	}
}

// method returns the next message of a method.
func (p *peer) method(name string) *message {
	p.t.Helper()
	return p.await(name, func(m *message) bool { return m.Method == name })
}

// call sends a request and returns its id.
func (p *peer) call(method string, params any) string {
	p.t.Helper()
	p.next++
	id := fmt.Sprintf("editor %d", p.next)
	p.sendRaw(string(request(id, method, params)))
	return `"` + id + `"`
}

// answer returns the answer to a request.
func (p *peer) answer(id string) *message {
	p.t.Helper()
	return p.await("answer to "+id, func(m *message) bool { return m.isResponse() && string(m.ID) == id })
}

// shown are the diagnostics of a file, as the editor knows them.
type shown struct {
	version     int // -1: none
	diagnostics []diagnostic
}

func (s shown) messages() string {
	var list []string
	for _, d := range s.diagnostics {
		list = append(list, fmt.Sprintf("%d:%d-%d:%d %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character, d.Message))
	}
	return strings.Join(list, "; ")
}

func decodeShown(t *testing.T, raw json.RawMessage) (string, shown) {
	t.Helper()
	var p struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(raw, &p); err != nil || p.Diagnostics == nil {
		t.Fatalf("publishDiagnostics: %v: %s", err, raw)
	}
	if p.Version == nil {
		return p.URI, shown{-1, p.Diagnostics}
	}
	return p.URI, shown{*p.Version, p.Diagnostics}
}

// published waits until the diagnostics of a file satisfy f.
func (p *peer) published(uri, what string, f func(shown) bool) shown {
	p.t.Helper()
	var last shown
	p.await(what+" in "+uri, func(m *message) bool {
		if m.Method != "textDocument/publishDiagnostics" {
			return false
		}
		got, s := decodeShown(p.t, m.Params)
		last = s
		return got == uri && f(s)
	})
	return last
}

// messages waits until the diagnostics of a file are those of want.
func (p *peer) messages(uri, want string) shown {
	p.t.Helper()
	return p.published(uri, want, func(s shown) bool { return s.messages() == want })
}

func (p *peer) open(path, content string, version int) {
	p.t.Helper()
	p.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uriOf(path), "languageId": "go", "version": version, "text": content,
	}})
}

func (p *peer) change(path string, version int, changes ...contentChange) {
	p.t.Helper()
	p.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(path), "version": version},
		"contentChanges": changes,
	})
}

func (p *peer) document(method, path string) {
	p.t.Helper()
	p.notify(method, map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}})
}

// A fakeSource is a scripted analysis.
type fakeSource struct {
	mu    sync.Mutex
	find  func(context.Context, driver.Config) ([]driver.Diagnostic, error)
	calls chan driver.Config
}

func (s *fakeSource) set(f func(context.Context, driver.Config) ([]driver.Diagnostic, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.find = f
}

// returns makes the analysis find the same always.
func (s *fakeSource) returns(diags ...driver.Diagnostic) {
	s.set(func(context.Context, driver.Config) ([]driver.Diagnostic, error) { return diags, nil })
}

func (s *fakeSource) run(ctx context.Context, cfg driver.Config) ([]driver.Diagnostic, error) {
	s.mu.Lock()
	find := s.find
	s.mu.Unlock()
	s.calls <- cfg // after that, set is for the next call
	if find == nil {
		return nil, nil
	}
	return find(ctx, cfg)
}

// call returns the next call of the analysis.
func (s *fakeSource) call(t *testing.T) driver.Config {
	t.Helper()
	select {
	case cfg := <-s.calls:
		return cfg
	case <-time.After(patience):
		t.Fatal("no analysis")
	}
	panic("unreachable")
}

// A stage is a session between a scripted editor and a scripted server.
type stage struct {
	editor *peer
	server *peer
	source *fakeSource
	log    *lockedBuffer
	ended  chan error
	hangUp func() // the editor reads no more
}

type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

var fast = Delays{Change: 5 * time.Millisecond, Save: 5 * time.Millisecond, Poll: 20 * time.Millisecond, Server: 50 * time.Millisecond, End: time.Millisecond}

func newStage(t *testing.T, delays Delays) *stage {
	editorIn, toEditor := io.Pipe()
	fromEditor, editorOut := io.Pipe()
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	st := &stage{
		source: &fakeSource{calls: make(chan driver.Config, 10000)},
		log:    new(lockedBuffer),
		ended:  make(chan error, 1),
		hangUp: func() { editorIn.Close() },
	}
	st.editor = newPeer(t, editorIn, editorOut)
	st.server = newPeer(t, serverIn, serverOut)
	ctx, cancel := context.WithCancel(t.Context())
	cfg := Config{In: fromEditor, Out: toEditor, Log: st.log, Analyse: st.source.run, Delays: delays}
	go func() {
		st.ended <- Proxy(ctx, cfg, Server{fromServer, toServer})
		toEditor.Close()
	}()
	t.Cleanup(func() {
		cancel()
		for _, c := range []io.Closer{editorOut, serverOut, editorIn, serverIn} {
			c.Close()
		}
	})
	return st
}

// allCapabilities are those of an editor that can do everything that matters here.
const allCapabilities = `{
	"workspace": {"workspaceEdit": {"documentChanges": true}, "diagnostics": {"refreshSupport": true}},
	"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
		"publishDiagnostics": {"relatedInformation": true}}}`

// start shakes hands. dir is the workspace folder.
func (st *stage) start(dir, capabilities string) {
	st.editor.t.Helper()
	st.startWith(dir, capabilities, `{}`)
}

func (st *stage) startWith(dir, capabilities, options string) {
	t := st.editor.t
	t.Helper()
	id := st.editor.call("initialize", map[string]any{
		"workspaceFolders": []any{map[string]any{"uri": uriOf(dir), "name": "w"}}, "initializationOptions": json.RawMessage(options),
		"capabilities": json.RawMessage(capabilities),
	})
	st.server.method("initialize")
	st.server.sendRaw(`{"jsonrpc":"2.0","id":` + id + `,"result":{"capabilities":{"textDocumentSync":2,"diagnosticProvider":{}}}}`)
	st.editor.answer(id)
	st.editor.notify("initialized", struct{}{})
	st.server.method("initialized")
}
