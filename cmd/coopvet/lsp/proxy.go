package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"
)

// A Server is the other side of a [Proxy]: what it writes and what it reads.
type Server struct {
	Out io.Reader
	In  io.WriteCloser
}

// Proxy serves an editor through a server until the server closes its output, which is what
// a language server does after "exit" or when its input ends. The editor's output has been
// written then. It returns early if ctx is done.
func Proxy(ctx context.Context, cfg Config, server Server) error {
	return proxy(ctx, cfg, server, false)
}

func proxy(ctx context.Context, cfg Config, server Server, standalone bool) error {
	ctx, cancel := context.WithCancel(ctx)
	s := newSession(ctx, cfg)
	defer s.finish(cancel)
	s.standalone = standalone
	editor := newConn(cfg.In, nopCloser{cfg.Out})
	behind := newConn(server.Out, server.In)

	go func() {
		s.receive(editor, "editor", s.fromEditor)
		s.toServer.close() // the server's input ends, too
	}()
	go func() {
		if err := s.toServer.send(behind); err != nil && ctx.Err() == nil {
			s.log("to the server: %v", err)
		}
	}()
	written := make(chan error, 1)
	go func() { written <- s.toEditor.send(editor) }()

	served := make(chan error, 1)
	go func() { served <- s.receive(behind, "server", s.fromServer) }()
	select {
	case err := <-served:
		s.toEditor.close()
		return errors.Join(err, <-written)
	case err := <-written: // the editor has gone
		s.toServer.close()
		return errors.Join(err, <-served)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish ends what runs in the background, and gives the analysis time to remove its files.
func (s *session) finish(cancel context.CancelFunc) {
	cancel()
	s.toEditor.close()
	s.toServer.close()
	ended := make(chan bool)
	go func() {
		s.analysis.running.Lock()
		defer s.analysis.running.Unlock() // one that has not begun yet ends at once
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(s.cfg.Delays.End):
	}
}

// receive hands messages over until there are no more. It logs why if it is not their end.
func (s *session) receive(c conn, from string, handle func([]byte)) error {
	for {
		msg, err := c.receive()
		switch {
		case err == nil:
			handle(msg)
		case errors.Is(err, io.EOF), s.ctx.Err() != nil:
			return nil
		default:
			s.log("from the %s: %v", from, err)
			return err
		}
	}
}

// nopCloser keeps the editor's end open for the caller.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Serve serves an editor without gopls: the server behind the session can do nothing. The
// exit code is that of the protocol: 0 if "shutdown" came before "exit", else 1.
func Serve(ctx context.Context, cfg Config) (code int, err error) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	result := make(chan int, 1)
	go func() { result <- idle(newConn(in, out)) }()
	if err := proxy(ctx, cfg, Server{fromServer, toServer}, true); err != nil {
		return 1, err
	}
	return <-result, nil
}

// idle is a language server that does what the protocol demands of every server. It closes
// its output at the end and returns its exit code.
func idle(c conn) int {
	defer c.ch.Close()
	code := 1
	for {
		raw, err := c.receive()
		if err != nil {
			return code
		}
		var m message
		switch json.Unmarshal(raw, &m); {
		case m.Method == "exit":
			return code
		case !m.isRequest():
			continue
		case m.Method == "initialize":
			err = c.ch.Send(response(m.ID, idleCapabilities(m.Params)))
		case m.Method == "shutdown":
			code = 0
			err = c.ch.Send(response(m.ID, nil))
		case m.Method == "textDocument/codeAction":
			err = c.ch.Send(response(m.ID, nil))
		default:
			const methodNotFound = -32601
			err = c.ch.Send(failure(m.ID, methodNotFound, "coopvet does not do "+m.Method))
		}
		if err != nil {
			return code
		}
	}
}

func idleCapabilities(params json.RawMessage) any {
	const incremental = 2
	var p initializeParams
	json.Unmarshal(params, &p) // a client that says nothing has the defaults
	enc := utf16Units
	if slices.Contains(p.Client.General.PositionEncodings, string(utf8Units)) {
		enc = utf8Units
	}
	return map[string]any{
		"serverInfo": map[string]any{"name": "coopvet"},
		"capabilities": map[string]any{
			"positionEncoding": enc,
			"textDocumentSync": map[string]any{"openClose": true, "change": incremental, "save": true},
			"workspace": map[string]any{
				"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
			},
		},
	}
}
