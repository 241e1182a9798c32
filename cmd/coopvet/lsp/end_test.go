package lsp

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// The session ends with either side.
func TestEnd(t *testing.T) {
	st := newStage(t, fast)
	st.editor.conn.ch.Close()
	select {
	case _, ok := <-st.server.in:
		if ok {
			t.Error("a message out of nothing")
		}
	case <-time.After(patience):
		t.Fatal("the server's input stays open")
	}
	st.server.sendRaw(`{"method":"last"}`)
	st.server.conn.ch.Close()
	if got := st.editor.receiveRaw(); got != `{"method":"last"}` {
		t.Error(got)
	}
	select {
	case err := <-st.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the session does not end")
	}
}

// An analysis that runs at the end is cancelled and waited for: it has files to remove.
func TestEndWaits(t *testing.T) {
	dir := workspace(t, map[string]string{"p.go": onePackage})
	st := newStage(t, Delays{Change: fast.Change, Save: fast.Save, End: patience})
	st.start(dir, allCapabilities)
	removed := make(chan bool, 1)
	st.source.set(func(ctx context.Context, _ driver.Config) ([]driver.Diagnostic, error) {
		<-ctx.Done()
		time.Sleep(100 * time.Millisecond)
		removed <- true
		return nil, ctx.Err()
	})
	st.editor.open(filepath.Join(dir, "p.go"), onePackage, 1)
	st.source.call(t)
	st.server.conn.ch.Close()
	select {
	case <-st.ended:
	case <-time.After(patience):
		t.Fatal("the session does not end")
	}
	if len(removed) == 0 {
		t.Error("the session ends before the analysis")
	}
}

// An editor that has gone, but has not closed its side, ends the session.
func TestEditorGone(t *testing.T) {
	st := newStage(t, fast)
	st.hangUp()
	st.server.sendRaw(`{"method":"x"}`)
	select {
	case _, ok := <-st.server.in:
		if ok {
			t.Error("a message out of nothing")
		}
	case <-time.After(patience):
		t.Fatal("the server's input stays open")
	}
	st.server.conn.ch.Close()
	select {
	case err := <-st.ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(patience):
		t.Fatal("the session does not end")
	}
}
