package escape_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/coopvet/coop/escape"
)

// The program says what is left when no calls are told apart.
func TestMerged(t *testing.T) {
	const dir = "testdata/merged/calls"
	for _, r := range analyse(t, 1, dir) {
		expect(t, r, dir)
		if r.Merged() == 0 {
			t.Error("all calls are told apart")
		}
	}
}

// Nothing better is said of what is not protected than when calls are told apart, whenever
// that ends.
func TestMergedIsSafe(t *testing.T) {
	dirs, err := filepath.Glob("testdata/programs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	dirs = append(dirs, "testdata/merged/late")
	for _, work := range []int{1, 30, 100, 200, 400, 800, 1600} {
		for name, r := range analyse(t, work, dirs...) {
			for _, w := range wanted(t, dirs[slices.IndexFunc(dirs, func(d string) bool { return filepath.Base(d) == name })]) {
				if !slices.Contains(w.classes, escape.Unprotected.String()) {
					continue
				}
				if got := classesAt(r, w.file, w.line); !slices.Contains(got, escape.Unprotected.String()) {
					t.Errorf("%s/%s:%d, work %d: %q is claimed, want %q", name, filepath.Base(w.file), w.line, work, got, w.classes)
				}
			}
		}
	}
}
