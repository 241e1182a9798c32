package instrument

import (
	"encoding/json"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// overlay is the replacement of files that go build -overlay reads.
type overlay struct {
	dir     string
	Replace map[string]string
}

func newOverlay(t testing.TB) *overlay {
	return &overlay{dir: t.TempDir(), Replace: map[string]string{}}
}

// add replaces the file at path.
func (o *overlay) add(t testing.TB, path string, content []byte) {
	t.Helper()
	name := filepath.Join(o.dir, strconv.Itoa(len(o.Replace))+"_"+filepath.Base(path))
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	o.Replace[path] = name
}

// file writes the overlay file and returns its name.
func (o *overlay) file(t testing.TB) string {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// countingHook is linked with package probe: probes are on from the start, and other
// goroutines run at some of the points, as they do under the conductor.
const countingHook = `package probe

import (
	"coop/sched"
	"runtime"
	"sync/atomic"
)

var points atomic.Uint64

func init() {
	Hook = func(_ sched.Kind, _ uint32, addr, size uintptr) {
		if addr == 0 || size == 0 {
			panic("point without memory")
		}
		if points.Add(1)%1009 == 0 {
			runtime.Gosched()
		}
	}
	On = true
}
`

// addProbe adds package probe to the standard library, so that any module, and the
// standard library itself, can import it.
func (o *overlay) addProbe(t testing.TB) {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src", "coop")
	files, err := filepath.Glob("../runner/conductor/probe/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no probes", err)
	}
	for _, name := range append(files, "../runner/sched/op.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), `"github.com/coopvet/coop/runner/sched"`, `"coop/sched"`)
		dir := filepath.Base(filepath.Dir(name))
		o.add(t, filepath.Join(src, dir, filepath.Base(name)), []byte(text))
	}
	o.add(t, filepath.Join(src, "probe", "hook.go"), []byte(countingHook))
}

// instrument adds the edited files of the packages, tests included, and returns the
// number of sites.
func (o *overlay) instrument(t testing.TB, dir string, patterns ...string) int {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Dir:   dir,
		Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest | packages.NeedModule,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	variant := map[string]*packages.Package{} // the one with in-package tests, if there is one
	for _, p := range pkgs {
		if strings.HasSuffix(p.ID, ".test") {
			continue
		}
		if variant[p.PkgPath] == nil || p.ForTest != "" {
			variant[p.PkgPath] = p
		}
	}
	sites := 0
	for _, p := range variant {
		for _, e := range p.Errors {
			t.Fatalf("%s: %v", p.ID, e)
		}
		for _, file := range p.Syntax {
			sites += o.instrumentFile(t, p, file, uint32(sites)+1)
		}
	}
	return sites
}

func (o *overlay) instrumentFile(t testing.TB, p *packages.Package, file *ast.File, first uint32) int {
	t.Helper()
	name := p.Fset.PositionFor(file.Package, false).Filename
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, sites, err := File(p.Fset, file, src, p.Types, p.TypesInfo, Options{ProbeImport: "coop/probe", FirstSite: first})
	if err != nil {
		t.Fatal(err)
	}
	if len(sites) > 0 {
		o.add(t, name, out)
	}
	return len(sites)
}

// goTest runs the tests of the packages with the replaced files.
func (o *overlay) goTest(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-p=2", "-vet=off", "-overlay=" + o.file(t)}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestPackages runs the tests of other people's packages, instrumented: by default of
// some of the standard library on which few others depend. COOP_PACKAGES names other
// patterns, COOP_DIR the directory of their module, COOP_ARGS flags of go test.
func TestPackages(t *testing.T) {
	dir := os.Getenv("COOP_DIR")
	patterns := strings.Fields(os.Getenv("COOP_PACKAGES"))
	if len(patterns) == 0 {
		patterns = []string{"container/...", "encoding/csv", "text/tabwriter", "text/template/parse"}
	}
	o := newOverlay(t)
	o.addProbe(t)
	t.Logf("%d sites", o.instrument(t, dir, patterns...))
	out, err := o.goTest(t, dir, append(strings.Fields(os.Getenv("COOP_ARGS")), patterns...)...)
	t.Log(out)
	if err != nil {
		t.Error(err)
	}
}
