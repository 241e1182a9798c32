package lsp

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// Without gopls: the handshake, findings, fixes and the end.
func TestServe(t *testing.T) {
	for _, tt := range []struct {
		name, capabilities, encoding, want string
		shutdown                           bool
		code                               int
	}{
		{"utf-16", allCapabilities, "utf-16", "2:7-2:10 bad thing", true, 0},
		{"utf-8", `{"general":{"positionEncodings":["utf-8","utf-16"]},"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`, "utf-8", "2:8-2:11 bad thing", false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := workspace(t, map[string]string{"p.go": onePackage})
			p := filepath.Join(dir, "p.go")
			editorIn, toEditor := io.Pipe()
			fromEditor, editorOut := io.Pipe()
			source := &fakeSource{calls: make(chan driver.Config, 100)}
			source.returns(fixable(p))
			ended := make(chan string, 1)
			go func() {
				code, err := Serve(context.Background(), Config{In: fromEditor, Out: toEditor, Analyse: source.run, Delays: fast})
				ended <- fmt.Sprint(code, err)
			}()
			editor := newPeer(t, editorIn, editorOut)

			id := editor.call("initialize", map[string]any{"rootUri": uriOf(dir), "capabilities": encodeRaw(tt.capabilities)})
			capabilities := objectOf(objectOf(editor.answer(id).Result)["capabilities"])
			for name, want := range map[string]string{
				"positionEncoding":   `"` + tt.encoding + `"`,
				"textDocumentSync":   `{"change":2,"openClose":true,"save":true}`,
				"codeActionProvider": `{"codeActionKinds":["quickfix"]}`,
			} {
				if got := string(capabilities[name]); got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
			editor.notify("initialized", struct{}{})
			editor.open(p, onePackage, 1)
			editor.messages(uriOf(p), tt.want)
			id = editor.call("textDocument/codeAction", map[string]any{
				"textDocument": map[string]any{"uri": uriOf(p)}, "range": span{position{2, 9}, position{2, 9}},
				"context": map[string]any{"diagnostics": []any{}},
			})
			if got := titles(editor.answer(id)); got != "Make it good" {
				t.Errorf("actions: %s", got)
			}
			id = editor.call("textDocument/hover", map[string]any{})
			if m := editor.answer(id); !m.failed() {
				t.Errorf("hover: %s", m.Result)
			}
			if tt.shutdown {
				id = editor.call("shutdown", nil)
				editor.answer(id)
			}
			editor.notify("exit", nil)
			select {
			case got := <-ended:
				if want := fmt.Sprint(tt.code, nil); got != want {
					t.Errorf("ends with %s, want %s", got, want)
				}
			case <-time.After(patience):
				t.Fatal("it does not end")
			}
		})
	}
}

func encodeRaw(s string) object { return objectOf([]byte(s)) }
