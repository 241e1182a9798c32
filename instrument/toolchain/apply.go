package toolchain

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// source is a parsed file of the standard library.
type source struct {
	text []byte
	fset *token.FileSet
	ast  *ast.File
}

func parse(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{text, fset, f}, nil
}

// splice replaces the bytes [pos,end) by text.
type splice struct {
	pos, end int
	text     string
	by       int // index of the edit
}

// apply makes the edits, all of them for this file, and returns the new text and for
// each edit the lines that it changed. If it fails, bad is the edit that does not fit.
func (s *source) apply(edits []edit) (text []byte, lines [][]int, bad edit, err error) {
	var all []splice
	for i, e := range edits {
		if e.place != atEnd && strings.Contains(e.code, "\n") {
			return nil, nil, e, errors.New("its code has more than one line")
		}
		splices, err := s.locate(e)
		if err != nil {
			return nil, nil, e, err
		}
		var at []int
		for _, sp := range splices {
			at = append(at, s.fset.Position(s.ast.FileStart+token.Pos(sp.pos)).Line)
			if e.place == inImports && slices.ContainsFunc(all, func(o splice) bool { return o.text == sp.text }) {
				continue // an earlier edit imports it
			}
			sp.by = i
			all = append(all, sp)
		}
		slices.Sort(at)
		lines = append(lines, at)
	}
	// Stable: edits of one place stay in the order of the table.
	slices.SortStableFunc(all, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.end, b.end))
	})
	var out bytes.Buffer
	done := 0
	for _, sp := range all {
		if sp.pos < done {
			return nil, nil, edits[sp.by], errors.New("it overlaps another edit")
		}
		out.Write(s.text[done:sp.pos])
		out.WriteString(sp.text)
		done = sp.end
	}
	out.Write(s.text[done:])
	if _, err := parse("", out.Bytes()); err != nil {
		return nil, nil, edits[blame(err, lines)], fmt.Errorf("the result is not Go: %w", err)
	}
	return out.Bytes(), lines, edit{}, nil
}

// blame returns the index of the edit that is on or nearest above the line of a syntax
// error; edits keep line numbers, so that it is the one at fault.
func blame(err error, lines [][]int) int {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return 0
	}
	best, at := 0, 0
	for i, ls := range lines {
		for _, l := range ls {
			if at < l && l <= list[0].Pos.Line {
				best, at = i, l
			}
		}
	}
	return best
}
