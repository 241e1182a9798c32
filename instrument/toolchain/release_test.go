package toolchain

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// releases are those that the tests try; CI has all of them.
var releases = []string{"go1.25.5", "go1.26.8", "go1.27.2"}

// forReleases runs f with GOTOOLCHAIN set to every release that is there. Only in CI are
// missing ones downloaded, and missing ones a failure.
func forReleases(t *testing.T, f func(t *testing.T, release string)) {
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", release)
			if os.Getenv("CI") == "" {
				cmd := exec.Command("go", "version")
				cmd.Env = append(os.Environ(), "GOPROXY=off")
				if cmd.Run() != nil {
					t.Skip("not installed; GOTOOLCHAIN=" + release + " go version downloads it")
				}
			}
			f(t, release)
		})
	}
}

// The patch table fits every supported release.
func TestPatchesFit(t *testing.T) {
	added, err := fs.Sub(newFiles, "_goroot/src")
	if err != nil {
		t.Fatal(err)
	}
	forReleases(t, func(t *testing.T, release string) {
		o, err := findOrigin(t.Context(), "go", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if o.release != release {
			t.Errorf("release is %s", o.release)
		}
		p, err := newPlan(o, patches, added, fstest.MapFS{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.checks {
			if len(c.Lines) == 0 {
				t.Errorf("edit %q changes no line", c.Edit)
			}
		}
	})
}

const program = `package main

import (
	"container/ring"
	"runtime"
)

func main() {
	println(ring.New(3).Len(), runtime.GOROOT())
}
`

// A program built with the patched tree has the patch; the same program built by the
// user afterwards is not affected, although both builds use one cache.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the runtime of several releases")
	}
	edits := []edit{prologue("other length", "container/ring/ring.go", "(*Ring).Len", "return extra(r)")}
	added := fstest.MapFS{"container/ring/extra.go": {Data: []byte(
		"package ring\n\nimport \"coop/sched\"\n\nfunc extra(*Ring) int { return 4000 + sched.One }\n")}}
	linked := fstest.MapFS{"sched/one.go": {Data: []byte("package sched\n\nconst One = 1\n")}}
	forReleases(t, func(t *testing.T, release string) {
		dir := t.TempDir()
		write(t, dir, "go.mod", "module m\n\ngo 1.25\n")
		write(t, dir, "main.go", program)
		before := build(t, dir, "go", os.Environ())

		tc, err := prepare(t.Context(), Config{Dir: dir, Cache: t.TempDir(), Linked: linked}, edits, added)
		if err != nil {
			t.Fatal(err)
		}
		if tc.Version != release || len(tc.Checks) != 1 || tc.Checks[0].File != "src/container/ring/ring.go" {
			t.Errorf("toolchain is %+v", tc)
		}
		patched := build(t, dir, tc.Go, tc.Env)
		if got, want := run(t, patched), "4001 "+tc.GOROOT+"\n"; got != want {
			t.Errorf("the patched program prints %q, want %q", got, want)
		}
		if a, b := export(t, dir, tc.Go, tc.Env), export(t, dir, "go", os.Environ()); a == b {
			t.Errorf("patched and original package have one cache entry, %s", a)
		}

		after := build(t, dir, "go", os.Environ())
		if got, want := run(t, after), "3 "+tc.Origin+"\n"; got != want {
			t.Errorf("the plain program prints %q, want %q", got, want)
		}
		if !bytes.Equal(read(t, before), read(t, after)) {
			t.Error("the plain program differs from the one built before")
		}
	})
}

func TestUnsupportedRelease(t *testing.T) {
	for version, want := range map[string]string{
		"go1.24.9":                  "toolchain: go1.24.9 (/go) is not supported; supported are go1.25, go1.26, go1.27; choose one with GOTOOLCHAIN, for example GOTOOLCHAIN=go1.27.0",
		"go1.28rc1":                 "go1.28rc1 (/go) is not supported",
		"devel go1.27-a1b2c3":       "devel go1.27-a1b2c3 (/go) is not supported",
		"go1.25.5":                  "",
		"go1.27rc1":                 "",
		"go1.26.8 X:nodwarf5":       "",
		"go1.26.8-X:nodwarf5,arena": "",
	} {
		o, err := origin{goroot: "/go"}.named(version)
		var re *ReleaseError
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", version, err)
		case want != "" && (!errors.As(err, &re) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %s", version, err, want)
		case want == "" && strings.Contains(o.release, "X"):
			t.Errorf("%s: release is %q", version, o.release)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module m\n\ngo 1.25\n")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "go1.27.999")
	_, err := Prepare(t.Context(), Config{Dir: dir, Cache: t.TempDir(), Linked: fstest.MapFS{}})
	if err == nil || !strings.Contains(err.Error(), "download go1.27.999") {
		t.Errorf("a release that is nowhere: error %v", err)
	}
	_, err = Prepare(t.Context(), Config{Dir: dir, Cache: t.TempDir(), Linked: fstest.MapFS{}, Go: "no-such-go"})
	if err == nil || !strings.Contains(err.Error(), `"no-such-go"`) {
		t.Errorf("no go command: error %v", err)
	}
}

func TestEnv(t *testing.T) {
	base := []string{"GOTOOLCHAIN=auto", "A=1", "GOEXPERIMENT=arenas", "GOROOT=/other"}
	tests := []struct {
		origin origin
		want   []string
	}{
		{origin{release: "go1.25.5"}, []string{"A=1", "GOROOT=/tree", "GOTOOLCHAIN=local"}},
		{origin{release: "go1.25.5", experiment: "arenas"}, []string{"A=1", "GOROOT=/tree", "GOTOOLCHAIN=local", "GOEXPERIMENT=arenas"}},
	}
	for _, tt := range tests {
		if got := tt.origin.env(base, "/tree"); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.origin, got, tt.want)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// build compiles the program in dir, elsewhere, and returns the file.
func build(t *testing.T, dir, goCmd string, env []string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	goTool(t, dir, goCmd, env, "build", "-p=2", "-o", out, ".")
	return out
}

// export returns the cache entry of the package that the patch changes.
func export(t *testing.T, dir, goCmd string, env []string) string {
	t.Helper()
	return goTool(t, dir, goCmd, env, "list", "-export", "-f", "{{.Export}}", "container/ring")
}

func goTool(t *testing.T, dir, goCmd string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(goCmd, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

func run(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
