package runner

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// What the linked packages import of this module is linked as well.
func TestLinkedIsComplete(t *testing.T) {
	const prefix = `"github.com/coopvet/coop/`
	files, err := fs.Glob(Linked(), "*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := fs.Glob(Linked(), "*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 || len(deeper) == 0 {
		t.Fatalf("linked are %d and %d files", len(files), len(deeper))
	}
	for _, name := range append(files, deeper...) {
		text, err := fs.ReadFile(Linked(), name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			_, imported, ok := strings.Cut(line, prefix)
			if !ok {
				continue
			}
			imported, _, _ = strings.Cut(imported, `"`)
			dir, ok := strings.CutPrefix(imported, "runner/")
			if !ok {
				t.Errorf("%s imports %s, which cannot be linked", name, imported)
				continue
			}
			if _, err := fs.Stat(Linked(), dir); err != nil {
				t.Errorf("%s imports %s, which is not linked", name, imported)
			}
		}
	}
}

// Linked has every Go file that the directories of the linked packages have.
func TestLinkedIsWhole(t *testing.T) {
	err := fs.WalkDir(Linked(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || name == "." {
			return err
		}
		entries, err := os.ReadDir(name)
		for _, e := range entries {
			file := path.Join(name, e.Name())
			if !strings.HasSuffix(file, ".go") {
				continue
			}
			if _, err := fs.Stat(Linked(), file); err != nil {
				t.Errorf("%s is not linked", file)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
