package lsp

import (
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"time"
)

// A finding is a diagnostic of ours. Its places follow the changes of open documents.
type finding struct {
	place
	severity int
	code     string
	href     string // documentation, or ""
	message  string
	related  []relatedPlace
	fixes    []fix
}

type place struct {
	path string
	span span
}

type relatedPlace struct {
	place
	message string
}

// A fix is valid while the files are as the analysis has seen them.
type fix struct {
	title string
	edits map[string][]textEdit // by path
	texts map[string]*text      // what the edits are for, by path
}

// move follows a change of the document at path.
func (f *finding) move(path string, c splice) {
	if f.path == path {
		f.span = c.move(f.span)
	}
	for i := range f.related {
		if r := &f.related[i]; r.path == path {
			r.span = c.move(r.span)
		}
	}
}

// findings returns all findings.
func (s *session) findings() iter.Seq[*finding] {
	return func(yield func(*finding) bool) {
		for _, list := range s.vet {
			for _, f := range list {
				if !yield(f) {
					return
				}
			}
		}
		for _, f := range s.saved {
			if !yield(f) {
				return
			}
		}
	}
}

// of returns the findings of a file, in order.
func (s *session) of(path string) []*finding {
	var list []*finding
	for f := range s.findings() {
		if f.path == path {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *finding) int {
		switch {
		case a.span.Start.before(b.span.Start):
			return -1
		case b.span.Start.before(a.span.Start):
			return 1
		case a.message < b.message:
			return -1
		case a.message > b.message:
			return 1
		}
		return 0
	})
	return list
}

// install replaces the results for some packages and shows them.
func (s *session) install(results map[string][]*finding) {
	changed := make(map[string]bool)
	note := func(list []*finding) {
		for _, f := range list {
			changed[f.path] = true
		}
	}
	for dir, list := range results {
		note(s.vet[dir])
		note(list)
		if len(list) == 0 {
			delete(s.vet, dir)
		} else {
			s.vet[dir] = list
		}
	}
	s.show(changed)
}

// show publishes files anew whose findings may have changed.
func (s *session) show(paths map[string]bool) {
	refresh := false
	for path := range paths {
		if s.pulled(path) {
			refresh = true
		}
		s.publish(path)
	}
	if refresh {
		s.ask("workspace/diagnostic/refresh", nil)
	}
}

const source = "coopvet"

// diagnostic returns f as the editor sees it.
func (s *session) diagnostic(f *finding) diagnostic {
	d := diagnostic{Range: f.span, Severity: f.severity, Code: f.code, Source: source, Message: f.message}
	if f.href != "" {
		d.Description = &codeDescription{f.href}
	}
	for _, r := range f.related {
		if s.client.TextDocument.PublishDiagnostics.RelatedInformation {
			d.Related = append(d.Related, relatedInformation{location{s.uri(r.path), r.span}, r.message})
		} else {
			d.Message += fmt.Sprintf("\n%s:%d: %s", filepath.Base(r.path), r.span.Start.Line+1, r.message)
		}
	}
	return d
}

// uri returns the editor's or the server's name for a file.
func (s *session) uri(path string) string {
	if srv := s.served[path]; srv != nil {
		return srv.uri
	}
	if doc := s.docs[path]; doc != nil {
		return doc.uri
	}
	return uriOf(path)
}

// own returns our diagnostics of a file.
func (s *session) own(path string) []json.RawMessage {
	var list []json.RawMessage
	for _, f := range s.of(path) {
		list = append(list, encode(s.diagnostic(f)))
	}
	return list
}

// published adds ours to the diagnostics that the server publishes.
func (s *session) published(raw []byte, m *message) []byte {
	var p publishParams
	if json.Unmarshal(m.Params, &p) != nil {
		return raw
	}
	path := pathOf(p.URI)
	if path == "" {
		return raw
	}
	s.served[path] = &served{p.URI, p.Version, p.Diagnostics}
	if len(p.Diagnostics) == 0 && s.docs[path] == nil {
		delete(s.served, path)
	}
	var own []json.RawMessage
	if !s.pulled(path) {
		own = s.own(path)
	}
	s.pushed[path] = string(encode(own))
	if len(own) == 0 {
		return raw
	}
	return s.merged(p, own)
}

// merged keeps what else the server's parameters say.
func (s *session) merged(p publishParams, own []json.RawMessage) []byte {
	p.Diagnostics = slices.Concat(p.Diagnostics, own)
	if p.Diagnostics == nil {
		p.Diagnostics = []json.RawMessage{} // null is no list
	}
	return notification("textDocument/publishDiagnostics", p)
}

// publish sends our diagnostics of a file together with the server's, if they are not those
// that were sent last.
//
// The server's may be those of an older version of a document. Then it will publish the new
// ones soon, with which ours go, too; if it does not, ours go with the old ones.
func (s *session) publish(path string) { s.publishLate(path, false) }

func (s *session) publishLate(path string, late bool) {
	var own []json.RawMessage
	if !s.pulled(path) {
		own = s.own(path)
	}
	now := string(encode(own))
	last, sent := s.pushed[path]
	if now == last || !sent && len(own) == 0 {
		return
	}
	p := publishParams{URI: s.uri(path)}
	doc := s.docs[path]
	if doc != nil {
		p.Version = &doc.version
	}
	if srv := s.served[path]; srv != nil {
		p.Diagnostics = srv.diagnostics
		if doc != nil && srv.version != nil && *srv.version < doc.version {
			if !late {
				s.publishSoon(path, doc.version)
				return
			}
			p.Version = nil
		}
	}
	s.pushed[path] = now
	s.toEditor.put(s.merged(p, own))
}

// publishSoon publishes ours if the server has not done so for the version in time.
func (s *session) publishSoon(path string, version int) {
	time.AfterFunc(s.cfg.Delays.Server, func() {
		s.guard(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if doc := s.docs[path]; doc != nil && doc.version == version {
				s.publishLate(path, true)
			}
		})
	})
}

// pulled tells whether the editor asks for the diagnostics of a file. Then ours are part of
// the answer and are not published, provided that it can be told to ask again.
func (s *session) pulled(path string) bool {
	return s.pulls && s.client.Workspace.Diagnostics.RefreshSupport && s.docs[path] != nil
}

// pullRequest adds ours to the answer.
func (s *session) pullRequest(raw []byte, m *message) []byte {
	var p documentParams
	if json.Unmarshal(m.Params, &p) != nil {
		return raw
	}
	if !s.pulls {
		s.pulls = true
		for path := range s.docs {
			s.publish(path) // without ours
		}
	}
	path := pathOf(p.Document.URI)
	if !s.pulled(path) {
		return raw
	}
	s.answers[string(m.ID)] = func(m *message) []byte { return s.pullAnswer(path, m) }
	params := objectOf(m.Params)
	if params["previousResultId"] == nil {
		return raw
	}
	// "Unchanged" would leave no place for ours.
	delete(params, "previousResultId")
	whole := objectOf(raw)
	whole.set("params", params)
	return encode(whole)
}

func (s *session) pullAnswer(path string, m *message) []byte {
	report := objectOf(m.Result)
	var items []json.RawMessage
	if json.Unmarshal(report["items"], &items) != nil {
		return nil // not a full report; gopls v0.23 leaves the kind empty
	}
	own := s.own(path)
	if len(own) == 0 {
		return nil
	}
	report.set("items", slices.Concat(items, own))
	return response(m.ID, report)
}
