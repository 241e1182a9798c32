package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestExpired(t *testing.T) {
	now := time.Now()
	const gib, day = 1 << 30, 24 * time.Hour
	used := func(dir string, ago time.Duration, size int64) cached { return cached{dir, now.Add(-ago), size} }
	for _, c := range []struct {
		name string
		all  []cached
		want []string
	}{
		{"small", []cached{used("a", 4*day, 1), used("b", time.Hour, 1)}, nil},
		{"old", []cached{used("a", 6*day, 1), used("b", time.Hour, 1)}, []string{"a"}},
		{"large: the oldest first", []cached{used("a", 3*day, 4*gib), used("b", 2*day, 5*gib), used("c", time.Hour, 5*gib)}, []string{"a"}},
		{"large in one day", []cached{used("a", time.Hour, 9*gib), used("b", 2*time.Hour, 9*gib)}, nil},
	} {
		var dirs []string
		for _, e := range expired(c.all, now) {
			dirs = append(dirs, e.dir)
		}
		if !slices.Equal(dirs, c.want) {
			t.Errorf("%s: %v expire, want %v", c.name, dirs, c.want)
		}
	}
}

// TestPruneBinaries: what was used last decides, not when it was built.
func TestPruneBinaries(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * cacheAge)
	for _, name := range []string{"aa/kept", "bb/gone"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{binaryFile, metaFile} {
			f := filepath.Join(dir, name, file)
			if err := os.WriteFile(f, []byte("{}"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(f, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := readMeta(filepath.Join(dir, "aa/kept")); err != nil { // a use
		t.Fatal(err)
	}
	pruneBinaries(dir)
	if _, err := os.Stat(filepath.Join(dir, "aa/kept", binaryFile)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "bb/gone")); err == nil {
		t.Error("what was not used for long is still there")
	}
}
