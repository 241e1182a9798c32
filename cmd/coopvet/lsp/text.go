package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// pathOf returns the absolute path of a file URI, "" for other URIs.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) {
		return ""
	}
	return filepath.Clean(u.Path)
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// An encoding is the unit in which characters are counted.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16" // the default of the protocol
	utf32Units encoding = "utf-32"
)

// width returns how many units a rune takes that has size bytes.
func (e encoding) width(r rune, size int) int {
	switch {
	case e == utf8Units:
		return size
	case e == utf32Units || r < 0x10000:
		return 1
	}
	return 2
}

// units returns the length of s.
func (e encoding) units(s []byte) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		n += e.width(r, size)
		s = s[size:]
	}
	return n
}

// A text is the content of a file, with its lines. Lines end with "\n".
type text struct {
	content []byte
	lines   []int // offsets of the lines' first bytes
	enc     encoding
}

func newText(content []byte, enc encoding) *text {
	t := &text{content: content, lines: []int{0}, enc: enc}
	for i, b := range content {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns line n, counted from 0, without its end; nil behind the last one.
func (t *text) line(n int) []byte {
	if n < 0 || n >= len(t.lines) {
		return nil
	}
	rest := t.content[t.lines[n]:]
	if n+1 < len(t.lines) {
		rest = t.content[t.lines[n] : t.lines[n+1]-1]
	}
	return rest
}

// position returns the place of an offset; offsets outside are those of the ends.
func (t *text) position(offset int) position {
	offset = min(max(offset, 0), len(t.content))
	n, found := slices.BinarySearch(t.lines, offset)
	if !found {
		n--
	}
	return position{n, t.enc.units(t.content[t.lines[n]:offset])}
}

// offset returns the offset of a place. As the protocol wants it, characters behind a
// line's end are its end, and lines behind the last one the end of the text.
func (t *text) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.content)
	}
	line := bytes.TrimSuffix(t.line(p.Line), []byte("\r"))
	at := 0
	for n := 0; n < p.Character && at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		n += t.enc.width(r, size)
		at += size
	}
	return t.lines[p.Line] + at
}

// place converts a position of the driver, which counts from 1 and in bytes.
func (t *text) place(p driver.Position) position {
	line := t.line(p.Line - 1)
	if line == nil {
		return t.position(len(t.content))
	}
	return t.position(t.lines[p.Line-1] + min(max(p.Column-1, 0), len(line)))
}

// lineSpan returns the span of line n, counted from 1, without the space around it; false if
// there is no such line.
func (t *text) lineSpan(n int) (span, bool) {
	line := t.line(n - 1)
	if line == nil {
		return span{}, false
	}
	start := t.lines[n-1] + len(line) - len(bytes.TrimLeft(line, " \t"))
	end := t.lines[n-1] + len(bytes.TrimRight(line, " \t\r"))
	return span{t.position(start), t.position(max(start, end))}, true
}

// A splice is a change of a text: what was from start to oldEnd now reaches to newEnd.
type splice struct{ start, oldEnd, newEnd position }

// change applies c and returns the new text and what happened.
func (t *text) change(c contentChange) (*text, splice) {
	var from, to int
	insert := c.Text
	if c.Range != nil {
		from = t.offset(c.Range.Start)
		to = max(from, t.offset(c.Range.End))
	} else {
		// The whole document: what it has in common with the old one has not changed.
		from = commonPrefix(t.content, insert)
		end := commonSuffix(t.content[from:], insert[from:])
		to, insert = len(t.content)-end, insert[from:len(insert)-end]
	}
	content := slices.Concat(t.content[:from], []byte(insert), t.content[to:])
	changed := newText(content, t.enc)
	return changed, splice{t.position(from), t.position(to), changed.position(from + len(insert))}
}

// commonPrefix returns the length of the longest common prefix that ends at a position of
// both.
func commonPrefix(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (splits(a, n) || splits(b, n)) {
		n--
	}
	return n
}

// commonSuffix is the same for suffixes.
func commonSuffix(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (splits(a, len(a)-n) || splits(b, len(b)-n)) {
		n--
	}
	return n
}

// splits tells whether i lies within a character or a line's end, where no position is.
func splits[T []byte | string](s T, i int) bool {
	return 0 < i && i < len(s) && (!utf8.RuneStart(s[i]) || s[i-1] == '\r' && s[i] == '\n')
}

// move returns where s is after the change. What is inserted at its ends does not belong to
// it; of what is replaced in part, the rest remains.
func (c splice) move(s span) span {
	start, end := s.Start, s.End
	switch {
	case !start.before(c.oldEnd):
		start = c.moved(start)
	case c.start.before(start):
		start = c.newEnd
	}
	switch {
	case !c.start.before(end):
	case !end.before(c.oldEnd):
		end = c.moved(end)
	default:
		end = c.newEnd
	}
	if end.before(start) {
		end = start
	}
	return span{start, end}
}

// moved returns where a position at or behind oldEnd is now.
func (c splice) moved(p position) position {
	if p.Line == c.oldEnd.Line {
		return position{c.newEnd.Line, c.newEnd.Character + p.Character - c.oldEnd.Character}
	}
	return position{p.Line + c.newEnd.Line - c.oldEnd.Line, p.Character}
}

// within tells whether a file is in a directory or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
