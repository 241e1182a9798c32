package driver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/coopvet/coop/analyzers"
)

// findings are what the tool has printed for all packages.
type findings struct {
	diagnostics []Diagnostic
	errors      []string // analyzers that failed
}

// vetDiagnostic is a diagnostic as golang.org/x/tools/go/analysis/unitchecker prints it.
type vetDiagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	End      string `json:"end"`
	Message  string `json:"message"`
	Fixes    []struct {
		Message string `json:"message"`
		Edits   []struct {
			Filename   string `json:"filename"`
			Start, End int
			New        string `json:"new"`
		} `json:"edits"`
	} `json:"suggested_fixes"`
	Related []struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	} `json:"related"`
}

// decode reads the stream of JSON objects, package → analyzer → diagnostics or error, that
// "go vet -json" prints, one per package.
func decode(stdout []byte) (findings, error) {
	var all findings
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var tree map[string]map[string]json.RawMessage
		if err := dec.Decode(&tree); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("output of go vet -json: %w", err)
		}
		for id, units := range tree {
			// "p [p.test]" is p with its test files.
			pkg, _, _ := strings.Cut(id, " ")
			for check, raw := range units {
				if err := all.add(pkg, check, raw); err != nil {
					return all, err
				}
			}
		}
	}
}

// separate returns the JSON objects among lines of other text, and that text. The go command
// puts the package before an object, as "# p".
func separate(mixed string) (objects []byte, rest string) {
	var text []string
	inside := false
	for line := range strings.Lines(mixed) {
		switch trimmed := strings.TrimSuffix(line, "\n"); {
		case trimmed == "{" || trimmed == "{}":
			inside = trimmed == "{"
			objects = append(objects, line...)
			if n := len(text) - 1; n >= 0 && strings.HasPrefix(text[n], "# ") {
				text = text[:n]
			}
		case inside:
			inside = trimmed != "}"
			objects = append(objects, line...)
		default:
			text = append(text, line)
		}
	}
	return objects, strings.Join(text, "")
}

// add decodes the result of one analyzer for one package.
func (f *findings) add(pkg, check string, raw json.RawMessage) error {
	var failed struct {
		Error string `json:"error"`
	}
	if raw[0] == '{' {
		if err := json.Unmarshal(raw, &failed); err != nil {
			return err
		}
		f.errors = append(f.errors, fmt.Sprintf("%s: %s: %s", pkg, check, failed.Error))
		return nil
	}
	var list []vetDiagnostic
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, v := range list {
		d := Diagnostic{
			Check: check, Category: v.Category, Message: v.Message, Package: pkg,
			Position: parsePosition(v.Posn), End: parsePosition(cmp.Or(v.End, v.Posn)),
		}
		for _, r := range v.Related {
			d.Related = append(d.Related, Related{parsePosition(r.Posn), parsePosition(cmp.Or(r.End, r.Posn)), r.Message})
		}
		for _, fix := range v.Fixes {
			edits := make([]Edit, len(fix.Edits))
			for i, e := range fix.Edits {
				edits[i] = Edit{File: e.Filename, Start: e.Start, End: e.End, New: e.New}
			}
			d.Fixes = append(d.Fixes, Fix{fix.Message, edits})
		}
		f.diagnostics = append(f.diagnostics, d)
	}
	return nil
}

// parsePosition reads file:line:column as token.Position prints it; the file may contain
// colons, column and line may be missing.
func parsePosition(s string) Position {
	p := Position{File: s}
	var numbers []int
	for len(numbers) < 2 {
		i := strings.LastIndexByte(p.File, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(p.File[i+1:])
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		p.File = p.File[:i]
	}
	switch len(numbers) {
	case 1:
		p.Line = numbers[0]
	case 2:
		p.Line, p.Column = numbers[1], numbers[0]
	}
	return p
}

// sorted returns diags in order of position, each once: a file may belong to several
// packages.
func sorted(diags []Diagnostic) []Diagnostic {
	slices.SortFunc(diags, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			strings.Compare(a.Check, b.Check),
			strings.Compare(a.Message, b.Message),
			strings.Compare(a.Package, b.Package))
	})
	return slices.CompactFunc(diags, func(a, b Diagnostic) bool {
		a.Package, a.Function = b.Package, b.Function
		return reflect.DeepEqual(a, b)
	})
}

// setURLs fills in the addresses of the documentation, which the protocol does not carry.
func setURLs(diags []Diagnostic) {
	base := make(map[string]string)
	for _, a := range analyzers.Suite() {
		base[a.Name] = a.URL
	}
	for i := range diags {
		d := &diags[i]
		if d.URL = base[d.Check]; d.URL != "" && d.Category != "" {
			if u, err := url.Parse(d.URL); err == nil {
				u.Fragment = d.Category
				d.URL = u.String()
			}
		}
	}
}

// setFunctions names the declaration around each diagnostic.
func setFunctions(diags []Diagnostic, overlay map[string][]byte) {
	type parsed struct {
		fset *token.FileSet
		file *ast.File
	}
	files := make(map[string]parsed)
	for i := range diags {
		d := &diags[i]
		p, ok := files[d.Position.File]
		if !ok {
			p.fset = token.NewFileSet()
			var src any
			if content, ok := overlay[d.Position.File]; ok {
				src = content
			}
			// A file that cannot be read, such as one named by a line directive, has no functions.
			p.file, _ = parser.ParseFile(p.fset, d.Position.File, src, parser.SkipObjectResolution)
			files[d.Position.File] = p
		}
		if p.file != nil {
			d.Function = functionAt(p.fset, p.file, d.Position.Line)
		}
	}
}

func functionAt(fset *token.FileSet, file *ast.File, line int) string {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || line < fset.Position(fn.Pos()).Line || line > fset.Position(fn.End()).Line {
			continue
		}
		if fn.Recv == nil || len(fn.Recv.List) == 0 {
			return fn.Name.Name
		}
		recv := fn.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			return "(*" + typeName(star.X) + ")." + fn.Name.Name
		}
		return typeName(recv) + "." + fn.Name.Name
	}
	return ""
}

// typeName is the name of a receiver's base type, without type parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	}
	return "?"
}
