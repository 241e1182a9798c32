package lockset_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/escape/lockset"
)

// ring is a program whose functions call their neighbours: what the first one does to a lock
// becomes known of one more of them each time that their summaries are computed.
func ring(n int, first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package p\nimport \"sync\"\nvar mu, other sync.Mutex\nfunc held() {}\nfunc f0(k int) { if k == 0 { %s; return }; f1(k-1) }\n", first)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "func f%d(k int) { f%d(k); f%d(k) }\n", i, i-1, i+1)
	}
	fmt.Fprintf(&b, "func f%d(k int) { f%d(k) }\nfunc use() { mu.Lock(); f%d(3); held(); mu.Unlock() }\n", n, n-1, n)
	return b.String()
}

// heldIn returns the locks held at the call of held in a program of NewSound.
func heldIn(t *testing.T, src string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", ""), []*ast.File{file}, ssa.InstantiateGenerics)
	if err != nil {
		t.Fatal(err)
	}
	var fns []*ssa.Function
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			fns = append(fns, pkg.Func(d.Name.Name))
		}
	}
	prog := lockset.NewSound(fns)
	at := "not reached"
	prog.Of(pkg.Func("use")).Walk(func(i ssa.Instruction, held lockset.Set) {
		if isProbe(i) {
			at = held.String()
		}
	})
	return at
}

// TestSoundRecursion: a lock that a recursion of any length may release is not held after it.
func TestSoundRecursion(t *testing.T) {
	for _, n := range []int{1, 4, 9, 12, 40} {
		if at := heldIn(t, ring(n, "mu.Unlock()")); at != "" {
			t.Errorf("%d functions: held is %q after the first one has released it", n, at)
		}
	}
	for _, n := range []int{1, 4} {
		if at := heldIn(t, ring(n, "other.Unlock()")); at != "p.mu" {
			t.Errorf("%d functions: held is %q although only another lock is released", n, at)
		}
	}
}
