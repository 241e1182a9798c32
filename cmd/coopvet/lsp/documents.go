package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

func (s *session) didOpen(params json.RawMessage) {
	var p openParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path := pathOf(p.Document.URI)
	if path == "" {
		return
	}
	s.docs[path] = &document{p.Document.URI, p.Document.Version, newText([]byte(p.Document.Text), s.enc)}
	s.stamps = "" // the places of saved schedules are those in the document
	s.publish(path)
	if s.analyses(path) {
		s.background(s.lookForSaved)
		s.analyseAfter(s.cfg.Delays.Save)
	}
}

func (s *session) didChange(params json.RawMessage) {
	var p changeParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path := pathOf(p.Document.URI)
	doc := s.docs[path]
	if doc == nil {
		return
	}
	doc.version = p.Document.Version
	for _, c := range p.Changes {
		var sp splice
		doc.text, sp = doc.text.change(c)
		for f := range s.findings() {
			f.move(path, sp)
		}
	}
	if s.analyses(path) {
		s.analyseAfter(s.cfg.Delays.Change)
	}
}

func (s *session) didSave(params json.RawMessage) {
	var p documentParams
	if json.Unmarshal(params, &p) == nil && s.analyses(pathOf(p.Document.URI)) {
		s.background(s.lookForSaved)
		s.analyseAfter(s.cfg.Delays.Save)
	}
}

// didClose forgets the document, and its package's findings if no other document of the
// package is open.
func (s *session) didClose(params json.RawMessage) {
	var p documentParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path := pathOf(p.Document.URI)
	if s.docs[path] == nil {
		return
	}
	delete(s.docs, path)
	s.stamps = ""
	if dir := filepath.Dir(path); !slices.Contains(s.openPackages(), dir) {
		s.install(map[string][]*finding{dir: nil})
	}
	s.publish(path)
	if s.analyses(path) {
		s.analyseAfter(s.cfg.Delays.Change) // what was not saved is gone
	}
}

func (s *session) didChangeFolders(params json.RawMessage) {
	var p foldersParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	for _, f := range p.Event.Removed {
		path := pathOf(f.URI)
		s.folders = slices.DeleteFunc(s.folders, func(dir string) bool { return dir == path })
	}
	for _, f := range p.Event.Added {
		s.addFolder(f)
	}
	s.background(s.findPackages)
	s.analyseAfter(s.cfg.Delays.Change)
}

// didChangeFiles is told of changes outside of the editor.
func (s *session) didChangeFiles(params json.RawMessage) {
	var p watchedParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	schedules, code := false, false
	for _, c := range p.Changes {
		path := pathOf(c.URI)
		if dir, _, ok := strings.Cut(path, "/"+savedDir+"/"); ok {
			s.packages[dir] = true
			schedules = true
		} else if s.docs[path] == nil {
			code = true
		}
	}
	if schedules {
		s.background(s.lookForSaved)
	}
	if code {
		s.analyseAfter(s.cfg.Delays.Change)
	}
}

// analyses tells whether the package of a file is to be analysed: it is Go code of the
// workspace. Without workspace folders everything is that is no module of others.
func (s *session) analyses(path string) bool {
	if filepath.Ext(path) != ".go" || strings.Contains(path, "/vendor/") {
		return false
	}
	if len(s.folders) == 0 {
		return !strings.Contains(path, "/pkg/mod/")
	}
	return slices.ContainsFunc(s.folders, func(dir string) bool { return within(path, dir) })
}

// openPackages returns the directories of the packages to analyse, sorted.
func (s *session) openPackages() []string {
	var dirs []string
	for path := range s.docs {
		if dir := filepath.Dir(path); s.analyses(path) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// current tells whether the open documents are still those of b.
func (s *session) current(b *buffers) bool {
	if len(s.docs) != len(b.open) {
		return false
	}
	for path, doc := range s.docs {
		if b.open[path] != doc.text {
			return false
		}
	}
	return true
}
