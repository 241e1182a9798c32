package toolchain

import (
	"slices"
	"strings"
	"testing"
)

const sample = `// Package p is a small one.
package p // the clause

import "fmt"

type pair[T any] struct {
	a T
	b int // the second
}

type none struct{}

type number int

func (p *pair[T]) Set(v T) { p.a = v }

func (n number) Get() int { return int(n) }

func asm()

func empty() {}

func run(n int) int {
	if n > 0 { // positive
		fmt.Println(n)
	}
	switch {
	case n == 1:
		n++
	}
	for i := range n {
		fmt.Println(
			i,
			n, // again
		)
	}
	total := max(
		n, 1) + limit
	n++
	return total
}

const limit = 10

var twice = limit * 2
`

func TestApply(t *testing.T) {
	tests := []struct {
		edit edit
		line int    // 1-based, of the change
		want string // that line afterwards
	}{
		{prologue("e", "p.go", "run", "hook()"), 23, "func run(n int) int { hook();"},
		{prologue("e", "p.go", "empty", "hook()"), 21, "func empty() { hook();}"},
		{prologue("e", "p.go", "(*pair).Set", "hook()"), 15, "func (p *pair[T]) Set(v T) { hook(); p.a = v }"},
		{prologue("e", "p.go", "number.Get", "hook()"), 17, "func (n number) Get() int { hook(); return int(n) }"},
		{beforeLast("e", "p.go", "run", "hook()"), 40, "\thook(); return total"},
		{beforeLast("e", "p.go", "run", "hook()").expecting("return  total"), 40, "\thook(); return total"},
		{before("e", "p.go", "run", "if n > 0 { fmt.Println(n) }", "hook()"), 24, "\thook(); if n > 0 { // positive"},
		{before("e", "p.go", "run", "if n > 0 {...", "hook()"), 24, "\thook(); if n > 0 { // positive"},
		{before("e", "p.go", "run", "fmt.Println(i, n)", "hook()"), 32, "\t\thook(); fmt.Println("},
		{after("e", "p.go", "run", "fmt.Println(n)", "hook()"), 25, "\t\tfmt.Println(n); hook()"},
		{after("e", "p.go", "run", "n++", "hook()").times(2), 29, "\t\tn++; hook()"},
		{replace("e", "p.go", "run", "fmt.Println(n)", "hook()"), 25, "\t\thook()"},
		{replace("e", "p.go", "run", "n == 1", "n == 2"), 28, "\tcase n == 2:"},
		{replace("e", "p.go", "run", "max(n, 1)", "n"), 38, "n) + limit"},
		{replace("e", "p.go", "", "limit * 2", "limit"), 45, "var twice = limit"},
		{field("e", "p.go", "pair", "c uint32"), 8, "\tb int; c uint32 // the second"},
		{field("e", "p.go", "none", "c uint32"), 11, "type none struct{ c uint32;}"},
		{addImport("e", "p.go", "unsafe"), 2, `package p; import "unsafe" // the clause`},
		{addImport("e", "p.go", "_ unsafe"), 2, `package p; import _ "unsafe" // the clause`},
		{addImport("e", "p.go", "fmt"), 4, `import "fmt"`},
		{addImport("e", "p.go", "f fmt"), 2, `package p; import f "fmt" // the clause`},
		{decl("e", "p.go", "func extra() {\n}"), 47, "func extra() {"},
	}
	for _, tt := range tests {
		t.Run(string(tt.edit.place)+" "+tt.edit.in, func(t *testing.T) {
			got := applied(t, tt.edit)
			lines := strings.Split(got, "\n")
			if lines[tt.line-1] != tt.want {
				t.Errorf("line %d is %q, want %q in\n%s", tt.line, lines[tt.line-1], tt.want, got)
			}
			if n := strings.Count(sample, "\n"); tt.edit.place != atEnd && len(lines) != n+1 {
				t.Errorf("has %d lines, want %d", len(lines)-1, n)
			}
		})
	}
}

// The line numbers of what follows an edit of several lines stay.
func TestApplyKeepsLines(t *testing.T) {
	for _, e := range []edit{
		replace("e", "p.go", "run", "max(n, 1)", "n"),
		replace("e", "p.go", "run", "fmt.Println(i, n)", "hook()"),
	} {
		lines := strings.Split(applied(t, e), "\n")
		if got := lines[39]; got != "\treturn total" {
			t.Errorf("%s: line 40 is %q", e.shape, got)
		}
	}
}

func TestApplyTogether(t *testing.T) {
	got := applied(t,
		prologue("a", "p.go", "empty", "one()"),
		prologue("b", "p.go", "empty", "two()"),
		addImport("c", "p.go", "unsafe"),
		addImport("d", "p.go", "unsafe"),
		before("e", "p.go", "run", "return total", "three()"),
		replace("f", "p.go", "run", "return total", "return 1"),
	)
	for _, want := range []string{"{ one(); two();}", "\tthree(); return 1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "unsafe"); n != 1 {
		t.Errorf("imports unsafe %d times", n)
	}
}

func TestApplyDoesNotFit(t *testing.T) {
	tests := []struct {
		edits []edit
		want  string // in the error of the last edit
	}{
		{[]edit{prologue("e", "p.go", "walk", "hook()")}, "function walk not found"},
		{[]edit{prologue("e", "p.go", "Set", "hook()")}, "function Set not found"},
		{[]edit{prologue("e", "p.go", "(*number).Get", "hook()")}, "function (*number).Get not found"},
		{[]edit{prologue("e", "p.go", "asm", "hook()")}, "function asm has no body"},
		{[]edit{prologue("e", "p.go", "run", "one()\ntwo()")}, "more than one line"},
		{[]edit{beforeLast("e", "p.go", "empty", "hook()")}, "function empty is empty"},
		{[]edit{beforeLast("e", "p.go", "run", "hook()").expecting("return")}, "the last statement of run is not return"},
		{[]edit{before("e", "p.go", "run", "n--", "hook()")}, `run has 0 of "n--", expected 1`},
		{[]edit{before("e", "p.go", "run", "n++", "hook()")}, `run has 2 of "n++", expected 1`},
		{[]edit{before("e", "p.go", "run", "n > 0", "hook()")}, `run has 0 of "n > 0", expected 1`},
		{[]edit{before("e", "p.go", "run", "if n...", "hook()").times(2)}, `run has 1 of "if n...", expected 2`},
		{[]edit{replace("e", "p.go", "", "limit * 3", "limit")}, `the file has 0 of "limit * 3"`},
		{[]edit{field("e", "p.go", "triple", "c int")}, "type triple not found"},
		{[]edit{field("e", "p.go", "number", "c int")}, "type number is not a struct"},
		{[]edit{prologue("good", "p.go", "empty", "hook()"), prologue("e", "p.go", "run", "hook(")}, "the result is not Go"},
		{[]edit{replace("good", "p.go", "run", "max(n, 1)", "n"), replace("e", "p.go", "run", "n", "m").times(8)}, "overlaps another edit"},
	}
	for _, tt := range tests {
		s, err := parse("p.go", []byte(sample))
		if err != nil {
			t.Fatal(err)
		}
		_, _, bad, err := s.apply(tt.edits)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.want, err, tt.want)
		} else if bad.name != "e" {
			t.Errorf("%s: blames %q", tt.want, bad.name)
		}
	}
}

func TestApplyLines(t *testing.T) {
	s, err := parse("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _, err := s.apply([]edit{
		after("two", "p.go", "run", "n++", "hook()").times(2),
		prologue("one", "p.go", "empty", "hook()"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lines[0], []int{29, 39}) || !slices.Equal(lines[1], []int{21}) {
		t.Errorf("lines %v, want [[29 39] [21]]", lines)
	}
}

func TestCanon(t *testing.T) {
	same := [][2]string{
		{"f(a,\n\tb,\n)", "f( a,b )"},
		{"if x {\n\ta()\n\tb()\n}", "if x { a(); b() }"},
		{"x := 1 // one", "x := 1"},
		{`s == "a  b"`, `s=="a  b"`},
		{"[]int{\n1,\n}", "[]int{1}"},
	}
	for _, p := range same {
		if a, b := canon([]byte(p[0])), canon([]byte(p[1])); a != b {
			t.Errorf("%q and %q differ", a, b)
		}
	}
	different := [][2]string{
		{"a\nb", "a b"},
		{`"a b"`, `"a  b"`},
		{"a - -b", "a--b"},
		{"f(a)", "f(a, b)"},
	}
	for _, p := range different {
		if a, b := canon([]byte(p[0])), canon([]byte(p[1])); a == b {
			t.Errorf("%q and %q are both %q", p[0], p[1], a)
		}
	}
}

func applied(t *testing.T, edits ...edit) string {
	t.Helper()
	s, err := parse("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	text, _, bad, err := s.apply(edits)
	if err != nil {
		t.Fatalf("edit %q: %v", bad.name, err)
	}
	return string(text)
}
