package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// rewriter copies a file from src to out, putting probes on the way. Source text
// before the cursor is done with. The methods that rewrite a node leave the cursor
// behind it; they may visit parts in another order than that of the source.
type rewriter struct {
	fset *token.FileSet
	file *token.File
	ast  *ast.File
	src  []byte
	pkg  *types.Package
	info *types.Info
	opts Options

	out    bytes.Buffer
	cursor token.Pos
	sites  []Site
	err    error

	locals  *locals
	prefix  string // name of the probe import, and how all added names begin
	temps   int
	raw     []rawString
	fn      *function             // the function that is being rewritten; nil outside
	commaOK map[ast.Expr]bool     // map lookups whose second result is used
	bare    map[ast.Expr]bool     // map lookups which no function can replace
	gotos   map[types.Object]bool // labels that are the target of a goto
	late    map[ast.Expr]bool     // reads that a probe would do too early; see markLate
}

// function is a function declaration or literal.
type function struct {
	name     string
	typ      *ast.FuncType
	literals int // literals met so far, for their names
}

func newRewriter(fset *token.FileSet, file *ast.File, src []byte, pkg *types.Package, info *types.Info, opts Options) *rewriter {
	r := &rewriter{
		fset: fset, file: fset.File(file.Package), ast: file, src: src, pkg: pkg, info: info, opts: opts,
		prefix:  freshPrefix(file, pkg),
		raw:     rawStrings(fset, file, src),
		commaOK: map[ast.Expr]bool{},
		bare:    map[ast.Expr]bool{},
		gotos:   map[types.Object]bool{},
		late:    map[ast.Expr]bool{},
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			r.gotos[info.Uses[b.Label]] = true
		}
		return true
	})
	r.locals = findLocals(file, pkg, info, fileVersion(file, pkg, info))
	return r
}

// function rewrites the body of a declared function.
func (r *rewriter) function(name string, typ *ast.FuncType, body *ast.BlockStmt) {
	outer := r.fn
	r.fn = &function{name: name, typ: typ}
	r.block(body)
	r.fn = outer
}

func (r *rewriter) funcLit(e *ast.FuncLit) {
	name := "func"
	if r.fn != nil {
		r.fn.literals++
		name = fmt.Sprintf("%s.func%d", r.fn.name, r.fn.literals)
	}
	r.function(name, e.Type, e.Body)
}

// upto copies the source before pos.
func (r *rewriter) upto(pos token.Pos) {
	if pos < r.cursor {
		r.fail(pos, "parts out of order")
		return
	}
	r.out.Write(r.text(r.cursor, pos))
	r.cursor = pos
}

// seek moves the cursor without copying.
func (r *rewriter) seek(pos token.Pos) { r.cursor = pos }

// rest copies what is left of the file.
func (r *rewriter) rest() { r.out.Write(r.src[r.file.Offset(r.cursor):]) }

// write puts text into the output.
func (r *rewriter) write(s string) { r.out.WriteString(s) }

// probe writes the start of a call of a probe, up to its first argument.
func (r *rewriter) probe(name string) { r.write(r.prefix + "." + name + "(") }

// text is the source between two positions.
func (r *rewriter) text(from, to token.Pos) []byte {
	return r.src[r.file.Offset(from):r.file.Offset(to)]
}

// drop leaves out the source before pos except its line ends.
func (r *rewriter) drop(pos token.Pos) {
	r.newlines(r.cursor, pos)
	r.cursor = pos
}

// newlines writes the line ends of a piece of source that is not copied.
func (r *rewriter) newlines(from, to token.Pos) {
	r.write(strings.Repeat("\n", bytes.Count(r.text(from, to), []byte("\n"))))
}

// without copies the source before pos except the first byte sep outside comments.
func (r *rewriter) without(sep byte, pos token.Pos) {
	s := r.text(r.cursor, pos)
	r.cursor = pos
	for i := 0; i < len(s); i++ {
		switch {
		case bytes.HasPrefix(s[i:], []byte("//")):
			if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(s)
			}
		case bytes.HasPrefix(s[i:], []byte("/*")):
			i += bytes.Index(s[i:], []byte("*/")) + 1
		case s[i] == sep:
			r.out.Write(s[:i])
			r.out.Write(s[i+1:])
			return
		}
	}
	r.out.Write(s)
}

// temp returns the name of a new variable.
func (r *rewriter) temp() string {
	r.temps++
	return r.prefix + strconv.Itoa(r.temps)
}

// visible reports whether an access that is not local gets a probe.
func (r *rewriter) visible(kind sched.Kind, e ast.Expr) bool {
	return r.allowed(r.access(kind, e))
}

func (r *rewriter) access(kind sched.Kind, e ast.Expr) Access {
	a := Access{Kind: kind, Expr: e}
	if kind == sched.Read || kind == sched.Write {
		a.Root = r.locals.root(e)
	}
	return a
}

// visibleElements is visible for the elements of the slice e.
func (r *rewriter) visibleElements(kind sched.Kind, e ast.Expr) bool {
	return r.allowed(Access{Kind: kind, Expr: e, Elements: true})
}

func (r *rewriter) allowed(a Access) bool {
	return r.fn != nil && (r.opts.Classes == nil || r.opts.Classes.Visible(a))
}

// site records an access to e and returns its number as source text.
func (r *rewriter) site(kind sched.Kind, e ast.Expr) string {
	return r.newSite(r.access(kind, e), string(r.text(e.Pos(), r.end(e))))
}

// siteElements is site for the elements of the slice e.
func (r *rewriter) siteElements(kind sched.Kind, e ast.Expr) string {
	return r.newSite(Access{Kind: kind, Expr: e, Elements: true}, string(r.text(e.Pos(), r.end(e)))+"[…]")
}

// newSite records an access to what expr says.
func (r *rewriter) newSite(a Access, expr string) string {
	pos := a.Expr.Pos()
	if s, ok := a.Expr.(*ast.SelectorExpr); ok {
		pos = s.Sel.Pos()
	}
	id := r.opts.FirstSite + uint32(len(r.sites))
	s := Site{
		ID:   id,
		Pos:  r.fset.PositionFor(pos, false),
		Kind: a.Kind,
		Expr: shorten(expr),
		Func: r.fn.name,
	}
	if r.opts.Claims != nil {
		s.Claim = r.opts.Claims(a)
	}
	r.sites = append(r.sites, s)
	return strconv.FormatUint(uint64(id), 10)
}

// shorten makes source text fit into a line of a report.
func shorten(s string) string {
	const limit = 40
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit-1]) + "…"
	}
	return s
}

func (r *rewriter) fail(pos token.Pos, why string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: instrument: %s", r.fset.PositionFor(pos, false), why)
	}
}

// rawString is a raw string literal with carriage returns, whose position of the end
// in the syntax tree lies inside it (before Go 1.26).
type rawString struct{ pos, end token.Pos }

func rawStrings(fset *token.FileSet, file *ast.File, src []byte) []rawString {
	if !bytes.ContainsRune(src, '\r') {
		return nil
	}
	var raw []rawString
	f := fset.File(file.Package)
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && l.Value[0] == '`' {
			from := f.Offset(l.Pos())
			to := from + 2 + bytes.IndexByte(src[from+1:], '`')
			raw = append(raw, rawString{l.Pos(), f.Pos(to)})
		}
		return true
	})
	return raw
}

// end returns the position behind n.
func (r *rewriter) end(n ast.Node) token.Pos {
	end := n.End()
	for _, s := range r.raw {
		if s.pos < end && end < s.end {
			return s.end
		}
	}
	return end
}
