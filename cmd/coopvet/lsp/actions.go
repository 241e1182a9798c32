package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// codeActionRequest has our actions added to the server's, and keeps our diagnostics from
// the server, to which they mean nothing.
func (s *session) codeActionRequest(raw []byte, m *message) []byte {
	var p codeActionParams
	if json.Unmarshal(m.Params, &p) != nil {
		return raw
	}
	if s.client.TextDocument.CodeAction.Literals != nil && wantsFixes(p.Context.Only) {
		s.answers[string(m.ID)] = func(m *message) []byte { return s.codeActionAnswer(&p, m) }
	}
	others := slices.DeleteFunc(slices.Clone(p.Context.Diagnostics), func(raw json.RawMessage) bool {
		var d diagnostic
		json.Unmarshal(raw, &d) // what is no diagnostic is not ours
		return d.Source == source
	})
	if len(others) == len(p.Context.Diagnostics) {
		return raw
	}
	params := objectOf(m.Params)
	context := objectOf(params["context"])
	context.set("diagnostics", others)
	params.set("context", context)
	whole := objectOf(raw)
	whole.set("params", params)
	return encode(whole)
}

// wantsFixes tells whether quick fixes are among the kinds that the editor asks for; none
// means all. Kinds are hierarchical.
func wantsFixes(only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(kind string) bool { return kind == "" || kind == kindQuickFix })
}

// canceled is the code of answers to requests that the editor has cancelled.
const canceled = -32800

func (s *session) codeActionAnswer(p *codeActionParams, m *message) []byte {
	var failed struct {
		Code int `json:"code"`
	}
	if m.failed() && (json.Unmarshal(m.Error, &failed) != nil || failed.Code == canceled) {
		return nil
	}
	own := s.actions(pathOf(p.Document.URI), p.Range)
	if len(own) == 0 {
		return nil
	}
	var all []json.RawMessage
	json.Unmarshal(m.Result, &all) // null or an error: there are only ours
	for _, a := range own {
		all = append(all, encode(a))
	}
	return response(m.ID, all)
}

// actions returns the fixes of the findings at a place.
func (s *session) actions(path string, at span) []codeAction {
	var list []codeAction
	for _, f := range s.of(path) {
		if !f.span.touches(at) {
			continue
		}
		for _, fix := range f.fixes {
			if !s.valid(fix) {
				continue
			}
			list = append(list, codeAction{
				Title: fix.title, Kind: kindQuickFix, Diagnostics: []diagnostic{s.diagnostic(f)},
				IsPreferred: len(f.fixes) == 1, Edit: s.edit(fix), Data: actionData{true},
			})
		}
	}
	return list
}

// valid tells whether the texts that the fix changes are those it is for.
func (s *session) valid(f fix) bool {
	for path, text := range f.texts {
		if doc := s.docs[path]; doc != nil {
			if !bytes.Equal(doc.text.content, text.content) {
				return false
			}
		} else if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text.content) {
			return false
		}
	}
	return true
}

// edit returns f's edits for the current versions of the documents.
func (s *session) edit(f fix) workspaceEdit {
	var e workspaceEdit
	if !s.client.Workspace.WorkspaceEdit.DocumentChanges {
		e.Changes = make(map[string][]textEdit)
		for path, edits := range f.edits {
			e.Changes[s.uri(path)] = edits
		}
		return e
	}
	for path, edits := range f.edits {
		id := documentID{URI: s.uri(path)}
		if doc := s.docs[path]; doc != nil {
			id.Version = &doc.version
		}
		e.DocumentChanges = append(e.DocumentChanges, documentEdit{id, edits})
	}
	slices.SortFunc(e.DocumentChanges, func(a, b documentEdit) int { return strings.Compare(a.Document.URI, b.Document.URI) })
	return e
}
