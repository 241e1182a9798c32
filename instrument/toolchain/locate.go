package toolchain

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// locate finds where e changes the file.
func (s *source) locate(e edit) ([]splice, error) {
	switch e.place {
	case atEnd:
		return []splice{s.insert(s.ast.FileEnd, "\n"+e.code+"\n")}, nil
	case inImports:
		return s.locateImport(e)
	case inStruct:
		return s.locateField(e)
	case insteadOf:
		if e.in == "" {
			return s.locateShape(e, s.ast)
		}
	}
	fn, err := s.function(e.in)
	if err != nil {
		return nil, err
	}
	switch e.place {
	case atStart:
		return []splice{s.insert(fn.Body.Lbrace+1, " "+e.code+";")}, nil
	case atLast:
		return s.locateLast(e, fn)
	}
	return s.locateShape(e, fn.Body)
}

// function finds a function with a body by its name.
func (s *source) function(name string) (*ast.FuncDecl, error) {
	var found *ast.FuncDecl
	for _, d := range s.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || funcName(fn) != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("function %s is declared more than once", name)
		}
		found = fn
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("function %s not found", name)
	case found.Body == nil:
		return nil, fmt.Errorf("function %s has no body", name)
	}
	return found, nil
}

// funcName returns the name of a declaration as an edit gives it.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t, pointer := fn.Recv.List[0].Type, false
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, pointer = x.X, true
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			if pointer {
				return "(*" + x.Name + ")." + fn.Name.Name
			}
			return x.Name + "." + fn.Name.Name
		default:
			return ""
		}
	}
}

func (s *source) locateImport(e edit) ([]splice, error) {
	name, path, named := strings.Cut(e.code, " ")
	if !named {
		name, path = "", e.code
	}
	for _, spec := range s.ast.Imports {
		if spec.Path.Value != strconv.Quote(path) {
			continue
		}
		var have string
		if spec.Name != nil {
			have = spec.Name.Name
		}
		if name == have || name == "_" {
			return []splice{s.insert(spec.Pos(), "")}, nil
		}
	}
	text := strings.TrimSpace("import " + name)
	return []splice{s.insert(s.ast.Name.End(), "; "+text+" "+strconv.Quote(path))}, nil
}

func (s *source) locateField(e edit) ([]splice, error) {
	for _, d := range s.ast.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if spec.Name.Name != e.in {
				continue
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return nil, fmt.Errorf("type %s is not a struct", e.in)
			}
			if n := len(st.Fields.List); n > 0 {
				return []splice{s.insert(st.Fields.List[n-1].End(), "; "+e.code)}, nil
			}
			return []splice{s.insert(st.Fields.Opening+1, " "+e.code+";")}, nil
		}
	}
	return nil, fmt.Errorf("type %s not found", e.in)
}

func (s *source) locateLast(e edit, fn *ast.FuncDecl) ([]splice, error) {
	n := len(fn.Body.List)
	if n == 0 {
		return nil, fmt.Errorf("function %s is empty", e.in)
	}
	last := fn.Body.List[n-1]
	if e.shape != "" && !newShape(e.shape).matches(s.bytes(last)) {
		return nil, fmt.Errorf("the last statement of %s is not %s", e.in, e.shape)
	}
	return []splice{s.insert(last.Pos(), e.code+"; ")}, nil
}

// locateShape finds the statements or expressions below root that have the shape of e.
func (s *source) locateShape(e edit, root ast.Node) ([]splice, error) {
	want := newShape(e.shape)
	var out []splice
	consider := func(n ast.Node) {
		if !want.matches(s.bytes(n)) {
			return
		}
		switch e.place {
		case beforeStmt:
			out = append(out, s.insert(n.Pos(), e.code+"; "))
		case afterStmt:
			out = append(out, s.insert(n.End(), "; "+e.code))
		case insteadOf:
			sp := splice{pos: s.offset(n.Pos()), end: s.offset(n.End()), text: s.keepLines(n, e.code)}
			// A call is both a statement and the expression in it.
			if k := len(out); k == 0 || out[k-1].pos != sp.pos || out[k-1].end != sp.end {
				out = append(out, sp)
			}
		}
	}
	ast.Inspect(root, func(n ast.Node) bool {
		if e.place == insteadOf {
			switch n.(type) {
			case ast.Expr, ast.Stmt:
				consider(n)
			}
			return true
		}
		// Code goes between the statements of a list, not into the head of an if or for.
		for _, stmt := range statements(n) {
			consider(stmt)
		}
		return true
	})
	if len(out) != e.count {
		return nil, fmt.Errorf("%s has %d of %q, expected %d", cmp.Or(e.in, "the file"), len(out), e.shape, e.count)
	}
	return out, nil
}

// statements returns the statement list that n is.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// keepLines returns code with as many line breaks as n, which it replaces, has.
func (s *source) keepLines(n ast.Node, code string) string {
	breaks := strings.Repeat("\n", bytes.Count(s.bytes(n), []byte("\n")))
	if _, ok := n.(ast.Expr); ok && breaks != "" {
		// Within parentheses, where a line break does not end a statement.
		return "(" + breaks + code + ")"
	}
	return code + breaks
}

func (s *source) insert(p token.Pos, text string) splice {
	return splice{pos: s.offset(p), end: s.offset(p), text: text}
}

func (s *source) offset(p token.Pos) int { return int(p - s.ast.FileStart) }

func (s *source) bytes(n ast.Node) []byte { return s.text[s.offset(n.Pos()):s.offset(n.End())] }
