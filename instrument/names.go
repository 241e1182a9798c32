package instrument

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/types"
	"go/version"
	"strings"
)

// freshPrefix returns a prefix that no identifier of the file or package has, so that
// names which begin with it neither collide with the user's nor are shadowed.
func freshPrefix(file *ast.File, pkg *types.Package) string {
	prefix := "_coop"
	taken := func(name string) bool { return strings.HasPrefix(name, prefix) }
	for again := true; again; {
		again = false
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && taken(id.Name) {
				again = true
			}
			return !again
		})
		for _, name := range pkg.Scope().Names() {
			again = again || taken(name)
		}
		if again {
			prefix += "_"
		}
	}
	return prefix
}

// importsC reports whether cgo processes the file.
func importsC(file *ast.File) bool {
	for _, i := range file.Imports {
		if i.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// probeVersion is the language version that calls of the probes need.
const probeVersion = "go1.21"

// fileVersion is the language version of the file, "" if it is the newest.
func fileVersion(file *ast.File, pkg *types.Package, info *types.Info) string {
	if v := info.FileVersions[file]; v != "" {
		return v
	}
	return pkg.GoVersion()
}

// atLeast reports whether language version v includes want.
func atLeast(v, want string) bool { return v == "" || version.Compare(v, want) >= 0 }

// assemble puts the head of the file, with the import, before the rewritten rest.
func (r *rewriter) assemble() []byte {
	head := r.src[:r.file.Offset(r.ast.Name.End())]
	if !atLeast(fileVersion(r.ast, r.pkg, r.info), probeVersion) {
		head = r.raiseVersion(head)
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString("; import " + r.prefix + ` "` + r.opts.ProbeImport + `"`)
	b.Write(r.out.Bytes())
	return b.Bytes()
}

// raiseVersion adds the build constraint that gives the file the language version of
// the probes. Up to there new versions only added to the language: loop variables
// changed their meaning in the next one, go1.22.
func (r *rewriter) raiseVersion(head []byte) []byte {
	for _, g := range r.ast.Comments {
		for _, c := range g.List {
			if c.Pos() > r.ast.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			from, to := r.file.Offset(c.Pos()), r.file.Offset(c.Pos())+len("//go:build")
			line := len(head)
			if n := bytes.IndexAny(head[from:], "\r\n"); n >= 0 {
				line = from + n
			}
			return bytes.Join([][]byte{head[:to], []byte(" " + probeVersion + " && ("), head[to:line], []byte(")"), head[line:]}, nil)
		}
	}
	// A new line at the top, which the line directive takes out of the numbering.
	// Older "// +build" lines lose their force by it, but the file has been chosen.
	bom := []byte("\xef\xbb\xbf")
	return append([]byte("//go:build "+probeVersion+"\n\n/*line :1:1*/"), bytes.TrimPrefix(head, bom)...)
}

// leaveAlone reports whether calls are forbidden or risky in the function.
func (r *rewriter) leaveAlone(d *ast.FuncDecl) bool {
	if d.Doc != nil {
		for _, c := range d.Doc.List {
			switch word, _, _ := strings.Cut(c.Text, " "); strings.TrimRight(word, "\r") {
			case "//go:nosplit", "//go:norace", "//go:linkname", "//go:systemstack",
				"//go:nowritebarrier", "//go:nowritebarrierrec", "//go:yeswritebarrierrec",
				"//go:uintptrkeepalive", "//go:uintptrescapes":
				return true
			}
		}
	}
	for _, g := range r.ast.Comments {
		for _, c := range g.List {
			if f := strings.Fields(c.Text); len(f) >= 2 && f[0] == "//go:linkname" && f[1] == d.Name.Name && d.Recv == nil {
				return true
			}
		}
	}
	return false
}

// funcName is the name of a function as stacks print it, without the package.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := ast.Unparen(d.Recv.List[0].Type)
	format := func(s string) string { return s }
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
		format = func(s string) string { return "(*" + s + ")" }
	}
	switch g := t.(type) {
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return format(id.Name) + "." + d.Name.Name
	}
	return d.Name.Name
}
