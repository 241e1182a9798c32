package instrument

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConstructs runs testdata/constructs as it is and instrumented. Both print the
// same, lines of calls and panics included.
func TestConstructs(t *testing.T) {
	dir, err := filepath.Abs("testdata/constructs")
	if err != nil {
		t.Fatal(err)
	}
	o := newOverlay(t)
	want := o.goRun(t, dir)
	o.addProbe(t)
	if sites := o.instrument(t, dir, "."); sites < 500 {
		t.Errorf("%d sites, want more", sites)
	}
	got := o.goRun(t, dir)
	compareLines(t, got, want)
}

// goRun runs the program in dir with the replaced files.
func (o *overlay) goRun(t *testing.T, dir string) string {
	t.Helper()
	out, err := o.goRunError(t, dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

func (o *overlay) goRunError(t *testing.T, dir string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", "run", "-overlay="+o.file(t), ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < max(len(g), len(w)); i++ {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("output line %d: %q, without probes %q", i+1, a, b)
		}
	}
}
