package instrument

import (
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// probePath is the import path of the probes in tests.
const probePath = "github.com/coopvet/coop/runner/conductor/probe"

// edit instruments one file that is a package of its own.
func edit(t testing.TB, name string, src []byte, version string, opts Options) ([]byte, []Site) {
	t.Helper()
	fset, file, pkg, info := check(t, name, src, version)
	if opts.ProbeImport == "" {
		opts.ProbeImport = probePath
	}
	out, sites, err := File(fset, file, src, pkg, info, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out, sites
}

// check parses and type-checks one file that is a package of its own.
func check(t testing.TB, name string, src []byte, version string) (*token.FileSet, *ast.File, *types.Package, *types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := newInfo()
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil), GoVersion: version, FakeImportC: true}
	pkg, err := conf.Check(file.Name.Name, fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file, pkg, info
}

func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Instances:    map[*ast.Ident]types.Instance{},
		FileVersions: map[*ast.File]string{},
	}
}

// TestGolden compares the edited form of every file of testdata/golden with the one
// kept beside it. The first line may name a language version: // go1.20.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			version := ""
			if first, _, _ := strings.Cut(string(src), "\n"); strings.HasPrefix(first, "// go1.") {
				version = strings.TrimPrefix(strings.TrimSpace(first), "// ")
			}
			got, _ := edit(t, name, src, version, Options{FirstSite: 1})
			golden := name + "lden"
			if *update {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("edited source differs from %s; run with -update and look at the change\n%s", golden, got)
			}
		})
	}
}
