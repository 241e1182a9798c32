package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// A Config says how to serve an editor. The zero value of everything but Editor is usable.
type Config struct {
	In  io.Reader // from the editor
	Out io.Writer // to the editor
	Log io.Writer // for people, used by several goroutines; nil discards
	Env []string  // of the go command and of gopls, as os.Environ; nil is the current environment

	// Analyse finds what is reported; nil is driver.Run.
	Analyse func(context.Context, driver.Config) ([]driver.Diagnostic, error)
	Tool    string // the executable for the driver

	Delays Delays
}

// Delays say how long to wait. Zero values are replaced by defaults.
type Delays struct {
	Change time.Duration // from a change of a document to the analysis
	Save   time.Duration // from opening or saving one
	Poll   time.Duration // between two looks for saved schedules
	Server time.Duration // for the server's diagnostics of a changed document
	End    time.Duration // for an analysis that runs when the session ends
}

var defaultDelays = Delays{
	Change: 800 * time.Millisecond,
	Save:   100 * time.Millisecond,
	Poll:   2 * time.Second,
	Server: 5 * time.Second,
	End:    2 * time.Second,
}

func (c *Config) fill() {
	if c.Log == nil {
		c.Log = io.Discard
	}
	if c.Analyse == nil {
		c.Analyse = driver.Run
	}
	for _, d := range []struct {
		value *time.Duration
		fill  time.Duration
	}{
		{&c.Delays.Change, defaultDelays.Change},
		{&c.Delays.Save, defaultDelays.Save},
		{&c.Delays.Poll, defaultDelays.Poll},
		{&c.Delays.Server, defaultDelays.Server},
		{&c.Delays.End, defaultDelays.End},
	} {
		if *d.value == 0 {
			*d.value = d.fill
		}
	}
}

// A session is one editor's connection to one server.
type session struct {
	cfg        Config
	standalone bool // the server does not watch Go files
	ctx        context.Context
	toEditor   *outbox
	toServer   *outbox
	broken     atomic.Bool // a panic has occurred: the session is a pipe
	logMu      sync.Mutex

	mu       sync.Mutex // guards what follows
	client   clientCapabilities
	enc      encoding
	settings settings
	folders  []string                         // absolute paths
	docs     map[string]*document             // open documents, by path
	answers  map[string]func(*message) []byte // of requests that wait for the server's answer, by id: amend it; nil leaves it
	configs  map[string][]string              // sections of the server's pending workspace/configuration requests, by id
	served   map[string]*served               // what the server has published, by path
	pushed   map[string]string                // our diagnostics that the editor was sent last, by path
	pulls    bool                             // the editor asks for diagnostics
	requests int                              // of our own to the editor
	vet      map[string][]*finding            // results of the analysis, by the package's directory
	saved    []*finding                       // saved schedules
	analysis analysis
	savedMu  sync.Mutex      // taken before mu: one look for saved schedules at a time
	packages map[string]bool // directories of packages that have saved schedules
	stamps   string          // what the last look has seen
}

// document is an open one.
type document struct {
	uri     string
	version int
	text    *text
}

// served are the server's diagnostics of a file.
type served struct {
	uri         string
	version     *int
	diagnostics []json.RawMessage
}

func newSession(ctx context.Context, cfg Config) *session {
	cfg.fill()
	return &session{
		cfg: cfg, ctx: ctx, toEditor: newOutbox(), toServer: newOutbox(), enc: utf16Units,
		docs: make(map[string]*document), answers: make(map[string]func(*message) []byte),
		configs: make(map[string][]string), served: make(map[string]*served), pushed: make(map[string]string),
		vet: make(map[string][]*finding), packages: make(map[string]bool),
	}
}

func (s *session) log(format string, args ...any) {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	fmt.Fprintf(s.cfg.Log, "coopvet: %s\n", strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// guard runs f. If it panics, the session goes on as a pipe.
func (s *session) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.broken.Store(true)
			s.log("internal error, the session goes on without coopvet: %v\n%s", r, debug.Stack())
		}
	}()
	if !s.broken.Load() {
		f()
	}
}

// background runs f in a goroutine of its own, guarded.
func (s *session) background(f func()) { go s.guard(f) }

// fromEditor handles a message of the editor.
func (s *session) fromEditor(raw []byte) {
	forward := raw
	s.guard(func() { forward = s.editorMessage(raw) })
	s.toServer.put(forward)
}

// fromServer handles a message of the server.
func (s *session) fromServer(raw []byte) {
	forward, done := raw, false
	s.guard(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		// Put under the mutex, see the package's rules.
		forward = s.serverMessage(raw)
		s.toEditor.put(forward)
		done = true
	})
	if !done {
		s.toEditor.put(raw)
	}
}

// editorMessage returns what the server gets instead of raw; nil is nothing.
func (s *session) editorMessage(raw []byte) []byte {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return raw // a batch, or nothing that we understand
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.isResponse():
		return s.editorResponse(raw, &m)
	case m.isRequest():
		return s.editorRequest(raw, &m)
	}
	s.editorNotification(&m)
	return raw
}

func (s *session) editorRequest(raw []byte, m *message) []byte {
	switch m.Method {
	case "initialize":
		s.initialize(m)
	case "shutdown":
		s.analysis.stop()
	case "textDocument/codeAction":
		return s.codeActionRequest(raw, m)
	case "codeAction/resolve":
		var action struct {
			Data actionData `json:"data"`
		}
		if json.Unmarshal(m.Params, &action) == nil && action.Data.Coopvet {
			s.toEditor.put(response(m.ID, m.Params)) // it is complete
			return nil
		}
	case "textDocument/diagnostic":
		return s.pullRequest(raw, m)
	}
	return raw
}

func (s *session) editorNotification(m *message) {
	switch m.Method {
	case "initialized":
		s.watch()
		s.background(s.findPackages)
		s.background(s.poll)
	case "textDocument/didOpen":
		s.didOpen(m.Params)
	case "textDocument/didChange":
		s.didChange(m.Params)
	case "textDocument/didSave":
		s.didSave(m.Params)
	case "textDocument/didClose":
		s.didClose(m.Params)
	case "workspace/didChangeWorkspaceFolders":
		s.didChangeFolders(m.Params)
	case "workspace/didChangeWatchedFiles":
		s.didChangeFiles(m.Params)
	}
}

// ownID begins the ids of our own requests to the editor. The server's ids must not be
// like them; gopls counts.
const ownID = `"coopvet/`

// editorResponse passes on what is for the server.
func (s *session) editorResponse(raw []byte, m *message) []byte {
	if strings.HasPrefix(string(m.ID), ownID) {
		return nil
	}
	if sections, ok := s.configs[string(m.ID)]; ok {
		delete(s.configs, string(m.ID))
		s.configured(sections, m.Result)
	}
	return raw
}

// ask sends a request of our own to the editor. Nothing depends on its answer.
func (s *session) ask(method string, params any) {
	s.requests++
	s.toEditor.put(request(fmt.Sprintf("coopvet/%d", s.requests), method, params))
}

// serverMessage returns what the editor gets instead of raw.
func (s *session) serverMessage(raw []byte) []byte {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	switch {
	case m.isResponse():
		amend, ok := s.answers[string(m.ID)]
		if !ok {
			break
		}
		delete(s.answers, string(m.ID))
		if amended := amend(&m); amended != nil {
			return amended
		}
	case m.Method == "textDocument/publishDiagnostics":
		return s.published(raw, &m)
	case m.Method == "workspace/configuration" && m.isRequest():
		s.configs[string(m.ID)] = sectionsOf(m.Params)
	}
	return raw
}
