package lsp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// savedDir is where cooprun keeps failing schedules, in a package's directory: a directory
// per test, a file per cause of failure. (It is runner.SavedDir; the command must not be
// linked with the runner.)
const savedDir = "testdata/coop"

// findPackages looks in the workspace folders for packages that have saved schedules.
func (s *session) findPackages() {
	s.mu.Lock()
	folders := slices.Clone(s.folders)
	s.mu.Unlock()
	found := make(map[string]bool)
	for _, root := range folders {
		filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || s.ctx.Err() != nil:
				return fs.SkipDir
			case !e.IsDir():
			case path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || e.Name() == "vendor"):
				return fs.SkipDir
			case strings.HasSuffix(path, "/"+savedDir):
				found[strings.TrimSuffix(path, "/"+savedDir)] = true
				return fs.SkipDir
			}
			return nil
		})
	}
	s.mu.Lock()
	for dir := range s.packages {
		// What lies in no folder any more is not shown any more.
		if !slices.ContainsFunc(s.folders, func(root string) bool { return within(dir, root) }) {
			delete(s.packages, dir)
		}
	}
	for dir := range found {
		s.packages[dir] = true
	}
	s.mu.Unlock()
	s.lookForSaved()
}

// poll looks for saved schedules from time to time: not every editor tells about files.
func (s *session) poll() {
	tick := time.NewTicker(s.cfg.Delays.Poll)
	defer tick.Stop()
	for !s.broken.Load() {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.lookForSaved()
		}
	}
}

// lookForSaved reads the saved schedules if they have changed, and shows them.
func (s *session) lookForSaved() {
	s.savedMu.Lock()
	defer s.savedMu.Unlock()
	s.mu.Lock()
	dirs := s.openPackages()
	for dir := range s.packages {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	buffers, folders, last := s.buffers(), slices.Clone(s.folders), s.stamps
	s.mu.Unlock()

	files, now := savedFiles(dirs)
	if now == last {
		return
	}
	var list []*finding
	for _, dir := range dirs {
		r := &reader{dir: dir, command: commandDir(dir, folders), buffers: buffers}
		for _, file := range files[dir] {
			list = append(list, r.findings(file)...)
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.current(buffers) {
		s.stamps = "" // the next look will do
		return
	}
	changed := make(map[string]bool)
	for _, f := range slices.Concat(s.saved, list) {
		changed[f.path] = true
	}
	s.saved, s.stamps = list, now
	s.show(changed)
}

// savedFiles returns the files with schedules of the packages in dirs, and a text that
// changes when they or the packages' Go files do.
func savedFiles(dirs []string) (map[string][]string, string) {
	files := make(map[string][]string)
	var stamps strings.Builder
	stamp := func(path string, e fs.DirEntry) {
		if info, err := e.Info(); err == nil {
			fmt.Fprintf(&stamps, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, dir := range dirs {
		filepath.WalkDir(filepath.Join(dir, savedDir), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				files[dir] = append(files[dir], path)
				stamp(path, e)
			}
			return nil // a directory that cannot be read has no files
		})
		if files[dir] == nil {
			continue
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".go" {
				stamp(filepath.Join(dir, e.Name()), e)
			}
		}
	}
	return files, stamps.String()
}

// commandDir returns where a user runs commands for the package in dir: in the workspace
// folder, or in the module if that is smaller.
func commandDir(dir string, folders []string) string {
	root := ""
	for _, f := range folders {
		if within(dir, f) && len(f) > len(root) {
			root = f
		}
	}
	for module := range modules([]string{dir}) {
		if len(module) > len(root) {
			root = module
		}
	}
	return root
}

// A reader makes findings of a package's saved schedules.
type reader struct {
	dir     string // of the package
	command string // where the replay command runs
	buffers *buffers
	tests   map[string]place // of the names of the package's test functions
	newest  time.Time        // when the package's Go files were last changed
}

// findings returns those of one file: one at the test function, and one at each place that
// the failure names. A file that cannot be read has none; cooprun says why.
func (r *reader) findings(file string) []*finding {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	schedule, err := sched.ParseSchedule(data)
	if err != nil {
		return nil
	}
	r.load()
	main := r.finding(file, schedule)
	list := []*finding{main}
	for _, at := range r.places(schedule) {
		main.related = append(main.related, relatedPlace{at, "here, in that schedule"})
		if at == main.place {
			continue
		}
		other := *main
		other.place = at
		other.related = []relatedPlace{{main.place, "the test"}}
		list = append(list, &other)
	}
	return list
}

// finding is the one at the test, or at the file with the schedule if there is no such test
// any more.
func (r *reader) finding(file string, schedule *sched.Schedule) *finding {
	f := &finding{severity: severityWarning, code: string(schedule.Kind)}
	state := "breaks under a schedule that cooprun has found"
	if info, err := os.Stat(file); err == nil && r.newest.After(info.ModTime()) {
		// It may have been corrected: saved schedules are regression tests then.
		f.severity = severityInformation
		state = "broke under a schedule that cooprun has found, before the package was changed"
	}
	name, _, _ := strings.Cut(schedule.Test, "/")
	at, ok := r.tests[name]
	if !ok {
		at = place{path: file}
		f.severity = severityInformation
		state += "; the package has no such test now"
	}
	f.place = at
	rel, err := filepath.Rel(r.command, file)
	if err != nil || !filepath.IsLocal(rel) {
		rel = file
	}
	f.message = fmt.Sprintf("%s %s\n%s\nreplay: cooprun -replay %s", schedule.Test, state, schedule.Message, shellWord(rel))
	return f
}

// load finds the test functions.
func (r *reader) load() {
	if r.tests != nil {
		return
	}
	r.tests = make(map[string]place)
	entries, _ := os.ReadDir(r.dir)
	for _, e := range entries {
		path := filepath.Join(r.dir, e.Name())
		if filepath.Ext(path) != ".go" {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(r.newest) {
			r.newest = info.ModTime()
		}
		if strings.HasSuffix(path, "_test.go") {
			r.loadTests(path)
		}
	}
}

// loadTests takes what it can from a file that has syntax errors.
func (r *reader) loadTests(path string) {
	t := r.buffers.text(path)
	if t == nil {
		return
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, path, t.content, parser.SkipObjectResolution)
	if file == nil {
		return
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
			from, to := fset.PositionFor(fn.Name.Pos(), false), fset.PositionFor(fn.Name.End(), false)
			r.tests[fn.Name.Name] = place{path, span{t.position(from.Offset), t.position(to.Offset)}}
		}
	}
}

// places returns where the failure shows, each once: the sites in its key, "read@file:12",
// else the last step, if the schedule says where that was. Lines are those of the time at
// which it was found.
func (r *reader) places(schedule *sched.Schedule) []place {
	var list []place
	add := func(file string, line int) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.dir, file)
		}
		if filepath.Dir(file) != r.dir {
			return // in the standard library or elsewhere
		}
		if t := r.buffers.text(file); t != nil {
			if sp, ok := t.lineSpan(line); ok && !slices.Contains(list, place{file, sp}) {
				list = append(list, place{file, sp})
			}
		}
	}
	for word := range strings.FieldsSeq(strings.ReplaceAll(schedule.Key, ";", " ")) {
		_, site, _ := strings.Cut(word, "@")
		file, number, _ := strings.Cut(site, ":")
		if line, err := strconv.Atoi(number); err == nil && filepath.Ext(file) == ".go" {
			add(file, line)
		}
	}
	if n := len(schedule.Decisions); n > 0 && len(list) == 0 {
		if last := schedule.Decisions[n-1]; last.File != "" {
			add(last.File, last.Line)
		}
	}
	return list
}

// shellWord quotes a path if a shell would split or expand it.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,=@%", r))
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
