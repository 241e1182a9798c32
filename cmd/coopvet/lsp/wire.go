package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/creachadair/jrpc2/channel"
)

// A message is what the session looks at of a JSON-RPC message: a request (ID and Method), a
// notification (Method), or a response (ID).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m *message) isRequest() bool  { return m.Method != "" && len(m.ID) > 0 }
func (m *message) isResponse() bool { return m.Method == "" && len(m.ID) > 0 }
func (m *message) failed() bool     { return len(m.Error) > 0 && string(m.Error) != "null" }

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types have a JSON form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func notification(method string, params any) []byte {
	return encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}

// request without parameters if params is nil.
func request(id, method string, params any) []byte {
	return encode(struct {
		Version string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", id, method, params})
}

func response(id json.RawMessage, result any) []byte {
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

func failure(id json.RawMessage, code int, text string) []byte {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, text}})
}

// An object is a JSON object of which we change some members and keep the others.
type object map[string]json.RawMessage

// objectOf returns the members of raw; none if it is no object.
func objectOf(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil || o == nil {
		o = make(object)
	}
	return o
}

func (o object) set(name string, v any) { o[name] = encode(v) }

// A conn is a connection in LSP's framing.
type conn struct{ ch channel.Channel }

// newConn returns one that, as gopls, sends no content type.
func newConn(r io.Reader, w io.WriteCloser) conn { return conn{channel.Header("")(r, w)} }

// receive returns the next message. The error is io.EOF between messages when the other side
// has closed the connection.
func (c conn) receive() ([]byte, error) {
	msg, err := c.ch.Recv()
	var other *channel.ContentTypeMismatchError
	if err != nil && !errors.As(err, &other) { // the content is JSON whatever the header calls it
		return nil, err
	}
	return bytes.Clone(msg), nil // Recv reuses the memory
}

// An outbox is a queue of messages to one side. Putting one never waits.
type outbox struct {
	mu     sync.Mutex
	ready  sync.Cond
	queue  [][]byte
	closed bool
}

func newOutbox() *outbox {
	o := new(outbox)
	o.ready.L = &o.mu
	return o
}

// put adds msg, unless it is nil or the outbox is closed.
func (o *outbox) put(msg []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if msg != nil && !o.closed {
		o.queue = append(o.queue, msg)
		o.ready.Signal()
	}
}

// close lets send end when everything is sent.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ready.Signal()
}

// next waits for messages and returns all there are, none at the end.
func (o *outbox) next() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.closed {
		o.ready.Wait()
	}
	batch := o.queue
	o.queue = nil
	return batch
}

// send sends what is put, until the outbox is closed and empty, and closes the connection.
// If the other side does not take it any more, the rest is dropped and the error returned.
func (o *outbox) send(c conn) error {
	defer c.ch.Close()
	for batch := o.next(); batch != nil; batch = o.next() {
		for _, msg := range batch {
			if err := c.ch.Send(msg); err != nil {
				o.close()
				return fmt.Errorf("write: %w", err)
			}
		}
	}
	return nil
}
