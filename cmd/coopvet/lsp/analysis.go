package lsp

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// analysis is the state of the background work. Its fields belong to the session's mutex,
// except running, which is held while the analysis runs.
type analysis struct {
	timer     *time.Timer
	cancel    context.CancelFunc
	lastError string // that was logged
	running   sync.Mutex
}

// stop cancels what runs or waits.
func (a *analysis) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.cancel != nil {
		a.cancel()
		a.cancel = nil
	}
}

// analyseAfter starts the analysis after a delay, instead of what runs or waits.
func (s *session) analyseAfter(delay time.Duration) {
	a := &s.analysis
	a.stop()
	ctx, cancel := context.WithCancel(s.ctx)
	a.cancel = cancel
	a.timer = time.AfterFunc(delay, func() {
		defer cancel()
		s.guard(func() { s.analyse(ctx) })
	})
}

// analyse runs the analysis over the open packages and shows the results, unless it is
// cancelled because a document has changed.
func (s *session) analyse(ctx context.Context) {
	s.analysis.running.Lock() // the one before has been cancelled and needs a moment to end
	defer s.analysis.running.Unlock()
	s.mu.Lock()
	if ctx.Err() != nil {
		s.mu.Unlock()
		return
	}
	dirs, buffers, set := s.openPackages(), s.buffers(), s.settings
	edited := slices.DeleteFunc(slices.Collect(maps.Keys(s.docs)), func(path string) bool { return !s.analyses(path) })
	s.mu.Unlock()

	overlay := buffers.overlay(edited)
	results := make(map[string][]*finding)
	for root, group := range modules(dirs) {
		run := driver.Config{
			Dir: root, Overlay: overlay, Tests: true, BuildFlags: set.buildFlags, Tool: s.cfg.Tool,
			Env: s.environment(root, set.env),
		}
		s.analyseModule(ctx, run, group, buffers, results)
		if ctx.Err() != nil {
			return
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil { // it is cancelled under the mutex, too
		s.install(results)
	}
}

// environment is that of the go command in dir. PWD keeps it from resolving symbolic links:
// it names files as the editor does.
func (s *session) environment(dir string, more []string) []string {
	env := s.cfg.Env
	if env == nil {
		env = os.Environ()
	}
	return slices.Concat(env, more, []string{"PWD=" + dir})
}

// modules groups directories by the module they are in.
func modules(dirs []string) map[string][]string {
	groups := make(map[string][]string)
	for _, dir := range dirs {
		root := dir
		for up := dir; ; up = filepath.Dir(up) {
			if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
				root = up
				break
			}
			if up == filepath.Dir(up) {
				break
			}
		}
		groups[root] = append(groups[root], dir)
	}
	return groups
}

// analyseModule adds the findings of the packages of one module to results. A package that
// cannot be analysed, for instance because its author is in the middle of a line, has none
// and keeps its old findings.
func (s *session) analyseModule(ctx context.Context, run driver.Config, dirs []string, b *buffers, results map[string][]*finding) {
	run.Patterns = nil
	for _, dir := range dirs {
		rel, err := filepath.Rel(run.Dir, dir)
		if err != nil {
			s.log("%v", err)
			return
		}
		run.Patterns = append(run.Patterns, "./"+rel)
	}
	diags, err := s.cfg.Analyse(ctx, run)
	var load *driver.LoadError
	switch {
	case ctx.Err() != nil:
		return
	case errors.As(err, &load) && len(dirs) > 1:
		// Which ones are to blame? The others are in the build cache now.
		for _, dir := range dirs {
			s.analyseModule(ctx, run, []string{dir}, b, results)
		}
		return
	case err != nil:
		s.failed(err, load)
	}
	found := make(map[string][]*finding)
	for _, d := range diags {
		dir := filepath.Dir(d.Position.File)
		if f := b.finding(d); f != nil && slices.Contains(dirs, dir) {
			found[dir] = append(found[dir], f)
		}
	}
	for _, dir := range dirs {
		if err == nil || len(found[dir]) > 0 {
			results[dir] = found[dir]
		}
	}
}

// failed logs an error of the analysis. What does not build is the editor's business.
func (s *session) failed(err error, load *driver.LoadError) {
	if load != nil && !load.Internal {
		return
	}
	s.mu.Lock()
	text := err.Error()
	again := text == s.analysis.lastError
	s.analysis.lastError = text
	s.mu.Unlock()
	if !again {
		s.log("the analysis failed: %s", text)
	}
}

// buffers are the texts of files at a moment: of open documents as they are in the editor, of
// others as they are on disk when first asked for.
type buffers struct {
	open map[string]*text
	read map[string]*text // nil for files that cannot be read
	enc  encoding
}

func (s *session) buffers() *buffers {
	b := &buffers{make(map[string]*text), make(map[string]*text), s.enc}
	for path, doc := range s.docs {
		b.open[path] = doc.text // texts do not change
	}
	return b
}

// overlay returns those of the open documents that are not on disk as they are in the editor.
func (b *buffers) overlay(paths []string) map[string][]byte {
	overlay := make(map[string][]byte)
	for _, path := range paths {
		content := b.open[path].content
		if disk, err := os.ReadFile(path); err != nil || !bytes.Equal(disk, content) {
			overlay[path] = content
		}
	}
	return overlay
}

// text returns the text of a file, nil if it cannot be read.
func (b *buffers) text(path string) *text {
	if t := b.open[path]; t != nil {
		return t
	}
	t, ok := b.read[path]
	if !ok {
		if content, err := os.ReadFile(path); err == nil {
			t = newText(content, b.enc)
		}
		b.read[path] = t
	}
	return t
}

// finding converts d; nil if its file cannot be read.
func (b *buffers) finding(d driver.Diagnostic) *finding {
	at, ok := b.place(d.Position, d.End)
	if !ok {
		return nil
	}
	f := &finding{place: at, severity: severityWarning, code: d.Check, href: d.URL, message: d.Message}
	for _, r := range d.Related {
		if at, ok := b.place(r.Position, r.End); ok {
			f.related = append(f.related, relatedPlace{at, r.Message})
		}
	}
	for _, fx := range d.Fixes {
		if converted, ok := b.fix(fx); ok {
			f.fixes = append(f.fixes, converted)
		}
	}
	return f
}

func (b *buffers) place(from, to driver.Position) (place, bool) {
	t := b.text(from.File)
	if t == nil {
		return place{}, false
	}
	sp := span{Start: t.place(from)}
	sp.End = sp.Start
	if to.File == from.File && to.Line > 0 {
		sp.End = t.place(to)
	}
	return place{from.File, sp}, true
}

func (b *buffers) fix(d driver.Fix) (fix, bool) {
	f := fix{title: d.Message, edits: make(map[string][]textEdit), texts: make(map[string]*text)}
	for _, e := range d.Edits {
		t := b.text(e.File)
		if t == nil || e.Start < 0 || e.End < e.Start || len(t.content) < e.End {
			return fix{}, false
		}
		f.texts[e.File] = t
		f.edits[e.File] = append(f.edits[e.File], textEdit{span{t.position(e.Start), t.position(e.End)}, e.New})
	}
	return f, len(f.edits) > 0
}
