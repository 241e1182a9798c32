package toolchain

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
)

// canon returns the tokens of Go source text, separated by spaces, in a form that does
// not depend on its layout: without comments, without the semicolons and commas that
// only a line break makes necessary.
func canon(src []byte) string {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	var out []string
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.RPAREN, token.RBRACE, token.RBRACK, token.EOF:
			if n := len(out); n > 0 && (out[n-1] == ";" || out[n-1] == ",") {
				out = out[:n-1]
			}
		}
		switch {
		case tok == token.EOF:
			return strings.Join(out, " ")
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = tok.String()
		}
		out = append(out, lit)
	}
}

// shape is the canonical form of what an edit expects.
type shape struct {
	text   string
	first  string // its first token
	prefix bool   // text is only the beginning
}

func newShape(text string) shape {
	text, prefix := strings.CutSuffix(strings.TrimSpace(text), "...")
	text = canon([]byte(text))
	first, _, _ := strings.Cut(text, " ")
	return shape{text, first, prefix}
}

// matches reports whether src, the text of a statement or expression, has the shape.
func (s shape) matches(src []byte) bool {
	if !bytes.HasPrefix(src, []byte(s.first)) {
		return false // the common case, cheaply
	}
	text := canon(src)
	return text == s.text || s.prefix && strings.HasPrefix(text, s.text+" ")
}
