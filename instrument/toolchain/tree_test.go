package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// fakeOrigin makes a small read-only GOROOT.
func fakeOrigin(t *testing.T, release string) origin {
	t.Helper()
	root := filepath.Join(t.TempDir(), "go")
	for name, text := range map[string]string{
		"VERSION":                   release + "\n",
		"go.env":                    "GOTOOLCHAIN=local\n",
		"bin/go":                    "the go command",
		"doc/big.html":              "not needed",
		"lib/time/zoneinfo.zip":     "zones",
		"pkg/include/textflag.h":    "flags",
		"pkg/tool/compile":          "the compiler",
		"src/go.mod":                "module std\n",
		"src/cmd/go/main.go":        "package main\n",
		"src/list/list.go":          "package list\n\nfunc Len() int { return 1 }\n",
		"src/list/list_test.go":     "package list\n",
		"src/list/testdata/in.txt":  "input",
		"src/internal/cmd/cmd.go":   "package cmd\n",
		"src/embedded/embedded.txt": "embedded",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	// As distributions have it: a part of the tree lies elsewhere.
	if err := os.Symlink(filepath.Join(root, "src", "embedded"), filepath.Join(root, "src", "moved")); err != nil {
		t.Fatal(err)
	}
	return origin{goroot: root, release: release}
}

var fakeEdits = []edit{prologue("hook", "list/list.go", "Len", "hook()")}

func fakePlan(t *testing.T, o origin, added, linked fs.FS) *plan {
	t.Helper()
	p, err := newPlan(o, fakeEdits, added, linked)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTree(t *testing.T) {
	o := fakeOrigin(t, "go1.26.8")
	added := fstest.MapFS{
		"README":        {Data: []byte("not Go")},
		"list/coop.go":  {Data: []byte("package list\n")},
		"list/new.go":   {Data: []byte("//coop:go1.26\npackage list\n")},
		"list/newer.go": {Data: []byte("//coop:go1.27\npackage list\n")},
		"list/old.go":   {Data: []byte("//coop:!go1.26\npackage list\n")},
		"list/older.go": {Data: []byte("//coop:!go1.27\npackage list\n")},
	}
	linked := fstest.MapFS{
		"sched/op.go":          {Data: []byte("package sched\n")},
		"sched/op_test.go":     {Data: []byte("package sched\n")},
		"conductor/hook.go":    {Data: []byte("//go:build coop\n\npackage conductor\n\nimport \"github.com/coopvet/coop/runner/sched\"\n")},
		"conductor/plain.go":   {Data: []byte("//go:build !coop\n\npackage conductor\n")},
		"conductor/linux.go":   {Data: []byte("//go:build linux\n\npackage conductor\n")},
		"conductor/mention.go": {Data: []byte("package conductor\n\n//go:build coop\nconst s = \"github.com/coopvet/coop/runner/sched\"\n")},
	}
	root, err := fakePlan(t, o, added, linked).tree(t.Context(), filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		census:                          "19",
		"VERSION":                       "go1.26.8\n",
		"go.env":                        "GOTOOLCHAIN=local\n",
		"bin":                           "-> bin",
		"lib/time/zoneinfo.zip":         "zones",
		"pkg/include/textflag.h":        "flags",
		"pkg/tool":                      "-> pkg/tool",
		"src/go.mod":                    "module std\n",
		"src/cmd":                       "-> src/cmd",
		"src/list/list.go":              "package list\n\nfunc Len() int { hook(); return 1 }\n",
		"src/list/coop.go":              "package list\n",
		"src/list/new.go":               "//coop:go1.26\npackage list\n",
		"src/list/older.go":             "//coop:!go1.27\npackage list\n",
		"src/internal/cmd/cmd.go":       "package cmd\n",
		"src/embedded/embedded.txt":     "embedded",
		"src/moved/embedded.txt":        "embedded",
		"src/coop/sched/op.go":          "package sched\n",
		"src/coop/conductor/hook.go":    "\n\npackage conductor\n\nimport \"coop/sched\"\n",
		"src/coop/conductor/linux.go":   "//go:build linux\n\npackage conductor\n",
		"src/coop/conductor/mention.go": "package conductor\n\n//go:build coop\nconst s = \"github.com/coopvet/coop/runner/sched\"\n",
	}
	for name, text := range contents(t, root) {
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			rel, err := filepath.Rel(o.goroot, to)
			if err != nil {
				t.Fatal(err)
			}
			text = "-> " + filepath.ToSlash(rel)
		}
		if w, ok := want[name]; !ok {
			t.Errorf("unexpected %s", name)
		} else if text != w {
			t.Errorf("%s is %q, want %q", name, text, w)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("no %s", name)
	}
	info, err := os.Stat(filepath.Join(root, "src", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&0o200 == 0 {
		t.Error("the copies are read-only")
	}
}

// contents maps the files and links below root to their text.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			got[filepath.ToSlash(name)] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The name of a tree changes with everything that determines it, and with nothing else.
func TestTreeName(t *testing.T) {
	o := fakeOrigin(t, "go1.26.8")
	name := func(o origin, added, linked string) string {
		p := fakePlan(t, o,
			fstest.MapFS{"list/coop.go": {Data: []byte(added)}},
			fstest.MapFS{"sched/op.go": {Data: []byte(linked)}})
		prefix, full := p.name()
		if !strings.HasPrefix(full, prefix) {
			t.Errorf("%s does not begin with %s", full, prefix)
		}
		return full
	}
	a, b := "package a\n", "package b\n"
	base := name(o, a, a)
	if again := name(o, a, a); again != base {
		t.Errorf("the same tree is %s and %s", base, again)
	}
	later := o
	later.release = "go1.26.9"
	names := []string{base, name(o, b, a), name(o, a, b), name(later, a, a), name(fakeOrigin(t, "go1.26.8"), a, a)}
	file := filepath.Join(o.goroot, "src", "list", "list.go")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("package list\n\nfunc Len() int { return 2 }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	names = append(names, name(o, a, a))
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != 6 {
		t.Errorf("names are not distinct: %v", names)
	}
}

func TestTreeConcurrent(t *testing.T) {
	p := fakePlan(t, fakeOrigin(t, "go1.26.8"), fstest.MapFS{}, fstest.MapFS{})
	cache := t.TempDir()
	var wg sync.WaitGroup
	roots, errs := make([]string, 8), make([]error, 8)
	for i := range roots {
		wg.Go(func() { roots[i], errs[i] = p.tree(t.Context(), cache) })
	}
	wg.Wait()
	for i := range roots {
		if errs[i] != nil || roots[i] != roots[0] {
			t.Errorf("%s, %v; want %s", roots[i], errs[i], roots[0])
		}
	}
	if names := dir(t, cache); len(names) != 1 {
		t.Errorf("the cache has %v, want one tree", names)
	}
}

// A build that is cut short leaves nothing that is taken for a tree.
func TestTreeCancelled(t *testing.T) {
	p := fakePlan(t, fakeOrigin(t, "go1.26.8"), fstest.MapFS{}, fstest.MapFS{})
	cache := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.tree(ctx, cache); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if names := dir(t, cache); len(names) != 0 {
		t.Errorf("the cache has %v", names)
	}
}

func TestPrune(t *testing.T) {
	o := fakeOrigin(t, "go1.26.8")
	p := fakePlan(t, o, fstest.MapFS{}, fstest.MapFS{})
	prefix, name := p.name()
	cache := t.TempDir()
	for name, age := range map[string]time.Duration{
		prefix + "old":       2 * unused,
		prefix + "new":       unused / 2,
		"go1.25.5-other-old": 2 * unused,
		partial + "old":      2 * abandoned,
		partial + "new":      abandoned / 2,
	} {
		path := filepath.Join(cache, name)
		if err := os.MkdirAll(filepath.Join(path, "src"), 0o777); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.tree(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	want := []string{"go1.25.5-other-old", name, prefix + "new", partial + "new"}
	slices.Sort(want)
	if got := dir(t, cache); !slices.Equal(got, want) {
		t.Errorf("the cache has\n%v, want\n%v", got, want)
	}

	// Use keeps a tree.
	path := filepath.Join(cache, name)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*unused)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.tree(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > unused {
		t.Errorf("the time of use is not noted: %v, %v", info, err)
	}
}

func TestPlanDoesNotFit(t *testing.T) {
	o := fakeOrigin(t, "go1.26.8")
	tests := []struct {
		edit edit
		want string // "" if it fits
	}{
		{prologue("a", "list/list.go", "Len", "hook()"), ""},
		{prologue("a", "list/list.go", "Cap", "hook()"),
			`toolchain: go1.26.8: edit "a" does not fit src/list/list.go: function Cap not found`},
		{prologue("a", "list/list.go", "Cap", "hook()").since("go1.27"), ""},
		{prologue("a", "list/list.go", "Cap", "hook()").until("go1.26"), ""},
		{prologue("a", "list/list.go", "Cap", "hook()").since("go1.26").until("go1.27"),
			`toolchain: go1.26.8: edit "a" does not fit src/list/list.go: function Cap not found`},
		{prologue("a", "list/ring.go", "Len", "hook()"),
			`toolchain: go1.26.8: edit "a" does not fit src/list/ring.go: there is no such file`},
	}
	for _, tt := range tests {
		_, err := newPlan(o, []edit{tt.edit}, fstest.MapFS{}, fstest.MapFS{})
		var fit *FitError
		if got := fmt.Sprint(err); err != nil && got != tt.want || err == nil && tt.want != "" {
			t.Errorf("error %v, want %v", got, tt.want)
		} else if err != nil && !errors.As(err, &fit) {
			t.Errorf("error is a %T", err)
		}
	}
	_, err := newPlan(o, nil, fstest.MapFS{"list/list.go": {Data: []byte("package list\n")}}, fstest.MapFS{})
	if err == nil || !strings.Contains(err.Error(), "src/list/list.go: the release has a file of this name") {
		t.Errorf("a new file replaces an original: error %v", err)
	}
}

func TestCacheError(t *testing.T) {
	o := fakeOrigin(t, "go1.26.8")
	p := fakePlan(t, o, fstest.MapFS{}, fstest.MapFS{})
	message := func(err error) string { return treeError(t.Context(), err, o, "the-cache").Error() }

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := p.tree(t.Context(), filepath.Join(file, "cache"))
	if err == nil || !strings.Contains(message(err), "cannot keep the patched Go tree in the-cache: ") {
		t.Errorf("cache below a file: %v", err)
	}
	if os.Getuid() > 0 { // root may write everywhere
		readOnly := filepath.Join(t.TempDir(), "ro")
		if err := os.Mkdir(readOnly, 0o555); err != nil {
			t.Fatal(err)
		}
		_, err := p.tree(t.Context(), readOnly)
		if err == nil || !strings.Contains(message(err), "not writable") {
			t.Errorf("read-only cache: %v", err)
		}
	}
	for errno, want := range map[error]string{
		syscall.EROFS:  "toolchain: cannot keep the patched Go tree in the-cache: the directory is not writable",
		syscall.EACCES: "toolchain: cannot keep the patched Go tree in the-cache: the directory is not writable",
		syscall.ENOSPC: "toolchain: cannot keep the patched Go tree in the-cache: the disk is full (the tree needs about 60 MB)",
	} {
		if got := message(&fs.PathError{Op: "write", Path: "x", Err: errno}); got != want {
			t.Errorf("%v: %s", errno, got)
		}
	}
	got := message(&fs.PathError{Op: "open", Path: filepath.Join(o.goroot, "VERSION"), Err: syscall.EACCES})
	if !strings.Contains(got, "cannot read the Go installation") {
		t.Errorf("unreadable origin: %s", got)
	}
}

func dir(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A tree of which files have been removed is made again; one that is complete is not touched.
func TestTreeDamaged(t *testing.T) {
	p := fakePlan(t, fakeOrigin(t, "go1.26.8"), fstest.MapFS{}, fstest.MapFS{})
	cache := t.TempDir()
	root, err := p.tree(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	list, own := filepath.Join(root, "src", "list", "list.go"), filepath.Join(root, "own")
	for _, name := range []string{list, filepath.Join(root, census)} {
		if err := os.WriteFile(own, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := p.tree(t.Context(), cache); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(own); err == nil {
			t.Error("a tree with a file too many counts as complete")
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if again, err := p.tree(t.Context(), cache); err != nil || again != root {
			t.Fatalf("made %s again in %s: %v", root, again, err)
		}
		if _, err := os.Stat(name); err != nil {
			t.Errorf("not made again: %v", err)
		}
	}
	before, err := os.Stat(list)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.tree(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(list); err != nil || !os.SameFile(before, after) {
		t.Errorf("a complete tree was made again (%v)", err)
	}
	if left := dir(t, cache); len(left) != 1 {
		t.Errorf("the cache has %q", left)
	}
}
