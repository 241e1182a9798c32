package ignore

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers/internal/doc"
)

//go:embed doc.go
var docSource string

// Name is the name of the check of the comments themselves.
const Name = "ignore"

const prefix = "//coopvet:ignore"

// A directive is one comment. It applies to the findings on its own line, or, if nothing
// else is on that line, to those on the next line that is no comment.
type directive struct {
	pos, end token.Pos
	file     string
	line     int // that it applies to
	checks   []string
	reason   string
}

// used tells which directives have switched off a finding of one check.
type used map[*directive]bool

var directives = &analysis.Analyzer{
	Name:       "coopvetdirectives",
	Doc:        "collect the //coopvet:ignore comments of a package",
	Run:        func(pass *analysis.Pass) (any, error) { return collect(pass), nil },
	ResultType: reflect.TypeFor[[]*directive](),
}

// Honour returns copies of the checks that report nothing that a comment ignores, and behind
// them the check of the comments. A check that panics is turned into one that fails, so that
// the others go on. The checks may not have results.
func Honour(checks []*analysis.Analyzer) []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, check := range checks {
		if check.ResultType != nil {
			panic("check " + check.Name + " has a result")
		}
		honouring := *check
		honouring.Requires = append(slices.Clip(check.Requires), directives)
		honouring.ResultType = reflect.TypeFor[used]()
		honouring.Run = func(pass *analysis.Pass) (any, error) { return run(check, pass) }
		all = append(all, &honouring)
	}
	self := &analysis.Analyzer{
		Name:     Name,
		Doc:      doc.Text(docSource),
		URL:      doc.URL(Name),
		Requires: append(slices.Clone(all), directives),
	}
	self.Run = func(pass *analysis.Pass) (any, error) {
		audit(pass, all)
		return nil, nil
	}
	return append(all, self)
}

// run is check without the findings that are ignored.
func run(check *analysis.Analyzer, pass *analysis.Pass) (_ any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	hits := make(used)
	filtered := *pass
	filtered.Report = func(d analysis.Diagnostic) {
		if dir := find(pass, check.Name, d.Pos); dir != nil {
			hits[dir] = true
			return
		}
		pass.Report(d)
	}
	_, err = check.Run(&filtered)
	return hits, err
}

// find returns the directive that switches off a finding of check at pos, or nil.
func find(pass *analysis.Pass, check string, pos token.Pos) *directive {
	at := pass.Fset.Position(pos)
	for _, d := range pass.ResultOf[directives].([]*directive) {
		if d.reason != "" && d.line == at.Line && d.file == at.Filename && slices.Contains(d.checks, check) {
			return d
		}
	}
	return nil
}

func collect(pass *analysis.Pass) []*directive {
	var all []*directive
	for _, file := range pass.Files {
		var code map[int]bool // lines with code, computed when needed
		for _, group := range file.Comments {
			for _, c := range group.List {
				text, ok := strings.CutPrefix(c.Text, prefix)
				if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
					continue
				}
				if code == nil {
					code = codeLines(pass.Fset, file)
				}
				all = append(all, parse(pass.Fset, c, group, text, code))
			}
		}
	}
	return all
}

func parse(fset *token.FileSet, c *ast.Comment, group *ast.CommentGroup, text string, code map[int]bool) *directive {
	at := fset.Position(c.Pos())
	d := &directive{pos: c.Pos(), end: c.End(), file: at.Filename, line: at.Line}
	if !code[at.Line] {
		d.line = fset.Position(group.End()).Line + 1
	}
	// What follows a second comment sign is no reason.
	text, _, _ = strings.Cut(text, "//")
	checks, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	d.reason = strings.TrimSpace(reason)
	for name := range strings.SplitSeq(checks, ",") {
		if name != "" {
			d.checks = append(d.checks, name)
		}
	}
	return d
}

// codeLines are the lines on which something of file begins or ends.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		case *ast.File:
			return true
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

// audit reports directives that say nothing or do nothing.
func audit(pass *analysis.Pass, checks []*analysis.Analyzer) {
	report := func(d *directive, category, message string) {
		pass.Report(analysis.Diagnostic{
			Pos: d.pos, End: d.end, Category: category, Message: message,
			SuggestedFixes: removal(d, category),
		})
	}
	for _, d := range pass.ResultOf[directives].([]*directive) {
		switch {
		case len(d.checks) == 0:
			report(d, "syntax", "coopvet:ignore needs the name of a check and a reason")
			continue
		case d.reason == "":
			report(d, "reason", "coopvet:ignore needs a reason after the name of the check")
			continue
		}
		for _, name := range d.checks {
			i := slices.IndexFunc(checks, func(a *analysis.Analyzer) bool { return a.Name == name })
			if i < 0 {
				report(d, "unknown", fmt.Sprintf("coopvet:ignore names %s, which is no check", name))
			} else if hits := pass.ResultOf[checks[i]].(used); !hits[d] {
				report(d, "unused", fmt.Sprintf("coopvet:ignore is not needed: %s reports nothing here", name))
			}
		}
	}
}

// removal is the fix of a directive that ignores nothing.
func removal(d *directive, category string) []analysis.SuggestedFix {
	if category != "unused" || len(d.checks) > 1 {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "Remove the comment",
		TextEdits: []analysis.TextEdit{{Pos: d.pos, End: d.end}},
	}}
}
