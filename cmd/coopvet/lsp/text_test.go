package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

func TestURI(t *testing.T) {
	for _, tt := range []struct{ uri, path string }{
		{"file:///a/b.go", "/a/b.go"},
		{"file:///a%20b/%C3%A4+.go", "/a b/ä+.go"},
		{"file://localhost/a.go", "/a.go"},
		{"file:///a/../b.go", "/b.go"},
		{"file://host/a.go", ""},
		{"untitled:Untitled-1", ""},
		{"file:///a%zz", ""},
		{"", ""},
	} {
		if got := pathOf(tt.uri); got != tt.path {
			t.Errorf("pathOf(%q) = %q, want %q", tt.uri, got, tt.path)
		}
	}
	for _, path := range []string{"/a b/c%20d#e?f.go", "/ä.go", "/"} {
		if got := pathOf(uriOf(path)); got != path {
			t.Errorf("%q becomes %q", path, got)
		}
	}
}

// The string of every prefix of a line is as long as the encoding says.
func TestPositions(t *testing.T) {
	const content = "a\r\nä𝄞\xffz\n\n\t世界"
	for enc, units := range map[encoding]func(string) int{
		utf8Units:  func(s string) int { return len(s) },
		utf16Units: func(s string) int { return len(utf16.Encode([]rune(s))) },
		utf32Units: func(s string) int { return utf8.RuneCountInString(s) },
	} {
		txt := newText([]byte(content), enc)
		for offset := range len(content) + 1 {
			if offset < len(content) && !utf8.RuneStart(content[offset]) {
				continue
			}
			before := content[:offset]
			line := before[strings.LastIndexByte(before, '\n')+1:]
			want := position{strings.Count(before, "\n"), units(line)}
			if got := txt.position(offset); got != want {
				t.Errorf("%s: offset %d is %v, want %v", enc, offset, got, want)
			}
			if got := txt.offset(want); got != offset && !strings.HasPrefix(content[offset-1:], "\r\n") {
				t.Errorf("%s: %v is at %d, want %d", enc, want, got, offset)
			}
		}
		for p, want := range map[position]int{{0, 99}: 1, {3, 99}: len(content), {9, 0}: len(content), {-1, 5}: 0, {2, 1}: 12} {
			if got := txt.offset(p); got != want {
				t.Errorf("%s: %v is at %d, want %d", enc, p, got, want)
			}
		}
	}
}

func TestPlaceOfDriver(t *testing.T) {
	txt := newText([]byte("x\n/* ä𝄞 */ y\n"), utf16Units)
	for _, tt := range []struct {
		line, column int
		want         position
	}{{1, 1, position{0, 0}}, {2, 14, position{1, 10}}, {2, 99, position{1, 11}}, {9, 1, position{2, 0}}, {0, 0, position{2, 0}}} {
		if got := txt.place(driver.Position{Line: tt.line, Column: tt.column}); got != tt.want {
			t.Errorf("%d:%d is %v, want %v", tt.line, tt.column, got, tt.want)
		}
	}
	if sp, ok := newText([]byte("\n\t x  \n"), utf16Units).lineSpan(2); !ok || sp != (span{position{1, 2}, position{1, 3}}) {
		t.Errorf("lineSpan = %v, %v", sp, ok)
	}
	if _, ok := txt.lineSpan(9); ok {
		t.Error("there is a line 9")
	}
}

// Random changes: the text is that of a straightforward implementation, and a span outside
// of a change keeps its characters.
func TestChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "\n", "ä", "ö", "\u0124", "𝄞", "𝄟", "世", "\r\n", "func ", "\t"}
	word := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 20000 {
		enc := []encoding{utf8Units, utf16Units, utf32Units}[random.IntN(3)]
		old := newText([]byte(word(30)), enc)
		place := func() int {
			for {
				i := random.IntN(len(old.content) + 1)
				// The protocol has no position between the characters of a line's end.
				if (i == len(old.content) || utf8.RuneStart(old.content[i])) &&
					!(i > 0 && i < len(old.content) && old.content[i-1] == '\r' && old.content[i] == '\n') {
					return i
				}
			}
		}
		ordered := func() (int, int) {
			a, b := place(), place()
			return min(a, b), max(a, b)
		}
		from, to := ordered()
		a, b := ordered()
		insert := word(5)
		want := string(old.content[:from]) + insert + string(old.content[to:])
		c := contentChange{&span{old.position(from), old.position(to)}, insert}
		whole := random.IntN(4) == 0
		if whole {
			c = contentChange{Text: want}
		}
		now, sp := old.change(c)
		if string(now.content) != want {
			t.Fatalf("%q, %d to %d replaced by %q (%s): %q", old.content, from, to, insert, enc, now.content)
		}
		moved := sp.move(span{old.position(a), old.position(b)})
		got := string(now.content[now.offset(moved.Start):now.offset(moved.End)])
		if whole {
			// What has changed is the least.
			from, to = old.offset(sp.start), old.offset(sp.oldEnd)
		}
		outside := b <= from && a < from || to <= a
		if outside && got != string(old.content[a:b]) && !strings.Contains(want, "\r") {
			t.Fatalf("%q, %d to %d replaced by %q (%s): span %q becomes %q", old.content, from, to, insert, enc, old.content[a:b], got)
		}
	}
}

func TestMove(t *testing.T) {
	at := func(l1, c1, l2, c2 int) span { return span{position{l1, c1}, position{l2, c2}} }
	for _, tt := range []struct {
		name     string
		c        splice
		old, now span
	}{
		{"behind", splice{position{5, 0}, position{5, 9}, position{7, 0}}, at(1, 2, 1, 5), at(1, 2, 1, 5)},
		{"line before", splice{position{0, 0}, position{0, 0}, position{1, 0}}, at(1, 2, 1, 5), at(2, 2, 2, 5)},
		{"same line", splice{position{1, 0}, position{1, 1}, position{1, 4}}, at(1, 2, 1, 5), at(1, 5, 1, 8)},
		{"lines joined", splice{position{0, 7}, position{1, 0}, position{0, 7}}, at(1, 2, 1, 5), at(0, 9, 0, 12)},
		{"insert at start", splice{position{1, 2}, position{1, 2}, position{1, 3}}, at(1, 2, 1, 5), at(1, 3, 1, 6)},
		{"insert at end", splice{position{1, 5}, position{1, 5}, position{1, 6}}, at(1, 2, 1, 5), at(1, 2, 1, 5)},
		{"inside", splice{position{1, 3}, position{1, 4}, position{1, 9}}, at(1, 2, 1, 5), at(1, 2, 1, 10)},
		{"start cut", splice{position{1, 0}, position{1, 3}, position{1, 0}}, at(1, 2, 1, 5), at(1, 0, 1, 2)},
		{"end cut", splice{position{1, 4}, position{1, 9}, position{1, 4}}, at(1, 2, 1, 5), at(1, 2, 1, 4)},
		{"all cut", splice{position{1, 0}, position{2, 0}, position{1, 0}}, at(1, 2, 1, 5), at(1, 0, 1, 0)},
		{"start replaced", splice{position{1, 2}, position{1, 4}, position{1, 3}}, at(1, 2, 1, 5), at(1, 2, 1, 4)},
	} {
		if got := tt.c.move(tt.old); got != tt.now {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.now)
		}
	}
}
