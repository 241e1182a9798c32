package instrument

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPrograms compares what generated programs print with and without probes.
func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1), false)
	f.Add(uint64(2), true)
	f.Fuzz(func(t *testing.T, seed uint64, mutate bool) {
		dir := t.TempDir()
		src := program(seed, mutate)
		for name, text := range map[string]string{"go.mod": "module fuzz\n\ngo 1.25\n", "main.go": src} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o := newOverlay(t)
		want := o.goRun(t, dir)
		o.addProbe(t)
		if sites := o.instrument(t, dir, "."); sites < 100 {
			t.Errorf("%d sites, want more", sites)
		}
		compareLines(t, o.goRun(t, dir), want)
	})
}

// program returns a program of functions with random statements. With mutate,
// expressions call functions that change the variables which they read, and print
// what gc makes of it.
func program(seed uint64, mutate bool) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), mutate: mutate}
	g.WriteString(prelude)
	const functions = 25
	for i := range functions {
		g.function(i)
	}
	g.WriteString("func main() {\n")
	for i := range functions {
		fmt.Fprintf(g, "run(f%d)\n", i)
	}
	g.WriteString("}\n")
	return g.String()
}

const prelude = `package main

import "fmt"

type T struct {
	a, b int
	s    string
	p    *T
	l    []int
	m    map[string]int
	arr  [3]int
	e    any
	c    chan int
	ok   Flag
	u8   uint8
	*E
}

type E struct{ x, y int }

type Flag bool

func newT(n int) *T {
	t := &T{a: n, s: "s", l: []int{n, 1, 2, 3}, m: map[string]int{"a": n}, c: make(chan int, 9), E: &E{n, n}}
	t.p = t
	for i := range 9 {
		t.c <- i
	}
	return t
}

func (t *T) String() string {
	return fmt.Sprint(t.a, t.b, t.s, t.l, t.m, t.arr, t.e, len(t.c), t.ok, t.u8, *t.E)
}

func (t *T) self() *T  { fmt.Print("self "); return t }
func (t T) copied() T  { fmt.Print("copied "); return t }
func num(n int) int    { fmt.Print("num", n, " "); return n }
func str(s string) string { fmt.Print("str", s, " "); return s }
func (t *T) bump() int {
	fmt.Print("bump ")
	t.a, t.b, n = t.a+1, t.b+2, n+1
	t.l = append([]int{t.a}, t.l...)
	t.m = map[string]int{"a": t.a, "b": len(t.m)}
	t.s += "x"
	t.ok = !t.ok
	t.E = &E{t.x + 1, t.y}
	return t.a
}
func (t *T) turn() *T { fmt.Print("turn "); t.p = g; t.bump(); return t }
func two(n int) (int, Flag) { fmt.Print("two", n, " "); return n + 1, n > 2 }
func ptr(t *T) *T      { fmt.Print("ptr "); return t }

var g, h = newT(5), newT(6)
var n int

var fuel int

func more() bool { fuel--; return fuel > 0 }

func run(f func(x, y *T, v T) (int, string)) {
	x, y := newT(1), newT(2)
	fuel = 20
	x.p, y.p, g.p = y, g, x
	defer func() {
		fmt.Println(recover(), n, x, y, g, h)
		for _, t := range []*T{g, h} {
			*t = *newT(t.a & 7)
		}
	}()
	fmt.Print(f(x, y, *newT(3)))
	fmt.Print(" ")
}

`

type generator struct {
	*rand.Rand
	strings.Builder
	depth int
	vars  int
	// mutate: functions that expressions call may change variables.
	mutate bool
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) function(i int) {
	fmt.Fprintf(g, "func f%d(x, y *T, v T) (r int, rs string) {\ni, j, k := 1, 2, 3\n", i)
	g.WriteString("inc := func() { i++; v.b++; r++ }\n_, _, _ = i, j, k\n")
	if g.IntN(3) == 0 {
		g.WriteString("defer func() { r *= 3; rs += \"!\" }()\n")
	}
	g.block(6)
	g.WriteString("inc()\n")
	g.WriteString(g.pick("return\n", "return "+g.num()+", "+g.str()+"\n", "if "+g.cond()+" { return "+g.num()+", \"early\" }\nreturn i, rs\n"))
	g.WriteString("}\n\n")
}

func (g *generator) block(n int) {
	g.depth++
	for range n {
		g.stmt()
	}
	g.depth--
}

// object is an expression of type *T.
func (g *generator) object() string {
	switch g.IntN(10) {
	case 0:
		return g.object() + ".p"
	case 1:
		return g.object() + ".self()"
	case 2:
		if g.mutate {
			return g.object() + ".turn()"
		}
		return "ptr(" + g.object() + ")"
	case 3:
		return "(&v)"
	default:
		return g.pick("x", "y", "g", "h")
	}
}

// place is a location of type int.
func (g *generator) place() string {
	switch g.IntN(9) {
	case 0:
		return g.pick("i", "j", "k", "n", "r")
	case 1:
		return g.object() + ".l[" + g.index() + "]"
	case 2:
		return g.object() + ".arr[" + g.index() + "]"
	case 3:
		return g.object() + ".m[" + g.key() + "]"
	case 4:
		return g.object() + "." + g.pick("x", "y", "E.x")
	case 5:
		return "(*" + g.object() + ")." + g.pick("a", "b")
	case 6:
		return "v." + g.pick("a", "b", "arr[1]", "x")
	default:
		return g.object() + "." + g.pick("a", "b")
	}
}

func (g *generator) index() string {
	return g.pick("0", "1", "2", "i&1", "num(1)", g.atom()+"&1")
}

func (g *generator) key() string {
	return g.pick(`"a"`, `"b"`, g.object()+".s", "str(\"k\")", "rs")
}

func (g *generator) atom() string {
	if g.IntN(2) == 0 {
		return g.pick("1", "2", "3", "i", "j", "k")
	}
	return g.place()
}

// num is an expression of type int.
func (g *generator) num() string {
	switch g.IntN(9) {
	case 0:
		if g.mutate {
			return g.object() + ".bump()"
		}
		return "num(" + g.atom() + ")"
	case 1, 2:
		return g.atom() + g.pick(" + ", " - ", " * ", " & ", " | ", " ^ ") + g.atom()
	case 3:
		return "len(" + g.object() + "." + g.pick("l", "s", "arr", "m", "c") + ")"
	case 4:
		return "1 << (" + g.atom() + " & 7)"
	case 5:
		return g.object() + ".copied()." + g.pick("a", "arr[1]", "l[2]")
	case 6:
		return "func() int { " + g.place() + "++; return " + g.atom() + " }()"
	default:
		return g.atom()
	}
}

func (g *generator) str() string {
	return g.pick(`"c"`, g.object()+".s", "str("+g.object()+".s)", "fmt.Sprint("+g.num()+")", g.object()+".s[:1]")
}

func (g *generator) cond() string {
	return g.pick(g.atom()+" < "+g.atom(), "bool("+g.object()+".ok)", g.atom()+" == "+g.num()+" || "+g.object()+".ok == true", g.object()+" != nil && "+g.atom()+" > 0")
}

// assign is an assignment without control flow.
func (g *generator) assign() string {
	switch g.IntN(14) {
	case 0, 1:
		return g.place() + " = " + g.num()
	case 2:
		return g.place() + g.pick(" += ", " -= ", " *= ", " |= ", " &^= ") + g.num()
	case 3:
		return g.place() + g.pick("++", "--", " <<= 1", " >>= "+g.index())
	case 4:
		return g.place() + ", " + g.place() + " = " + g.num() + ", " + g.num()
	case 5:
		a, b := g.place(), g.place()
		return a + ", " + b + " = " + b + ", " + a
	case 6:
		o := g.object()
		return o + ".p, " + o + ".p.a = " + g.pick("x", "y", "g") + ", " + g.num()
	case 7:
		return g.place() + ", " + g.object() + ".ok = two(" + g.atom() + ")"
	case 8:
		return g.place() + ", " + g.object() + ".ok = " + g.object() + ".m[" + g.key() + "]"
	case 9:
		return g.object() + ".e = " + g.pick("nil", g.num(), g.str(), "uint8("+g.atom()+")", "1.5")
	case 10:
		return g.object() + ".ok = " + g.pick("true", g.atom()+" > "+g.atom(), "Flag("+g.cond()+")")
	case 11:
		return g.object() + ".u8 " + g.pick("= 1 << ("+g.atom()+"&3)", "+= 200", "<<= 2", "= uint8("+g.num()+")")
	case 12:
		return g.object() + ".s " + g.pick("=", "+=") + " " + g.str()
	default:
		return g.object() + ".l[" + g.index() + "], " + g.place() + ", _ = " + g.num() + ", " + g.num() + ", " + g.str()
	}
}

func (g *generator) stmt() {
	if g.depth > 3 {
		g.WriteString(g.assign() + "\n")
		return
	}
	name := func() string { g.vars++; return fmt.Sprintf("v%d", g.vars) }
	body := func() { g.WriteString(" {\n"); g.block(2); g.WriteString("}\n") }
	switch g.IntN(16) {
	case 0:
		g.WriteString("if " + g.assign() + "; " + g.cond())
		g.WriteString(" {\n")
		g.block(2)
		g.WriteString("} else if " + g.assign() + "; " + g.cond())
		body()
	case 1:
		v := name()
		fmt.Fprintf(g, "for %s := 0; %s < 3; %s, %s = %s+1, %s", v, v, v, g.place(), v, g.num())
		body()
	case 2:
		fmt.Fprintf(g, "for k = 0; k < 3 && more(); k++ {\n%s\nif %s { continue }\n%s\nbreak\n}\n", g.assign(), g.cond(), g.assign())
	case 3:
		k, v := name(), name()
		fmt.Fprintf(g, "for %s, %s := range %s {\n%s += %s + %s\n", k, v, g.pick(g.object()+".l", g.object()+".arr", "&"+g.object()+".arr", "[]int{4, "+g.atom()+"}"), g.place(), k, v)
		g.block(1)
		g.WriteString("}\n")
	case 4:
		fmt.Fprintf(g, "for i, %s.a = range %s", g.object(), g.pick(g.object()+".l", g.object()+".arr"))
		body()
	case 5:
		k, v := name(), name()
		fmt.Fprintf(g, "for %s, %s := range map[string]int{\"a\": %s} {\n%s = %s + len(%s)\n}\n", k, v, g.num(), g.place(), v, k)
	case 6:
		v := name()
		fmt.Fprintf(g, "%s, r := %s, %s\n%s = %s + r\n", v, g.num(), g.num(), g.place(), v)
	case 7:
		g.WriteString("switch " + g.assign() + "; " + g.num() + " {\ncase " + g.atom() + ":\n")
		g.block(1)
		g.WriteString("default:\n")
		g.block(1)
		g.WriteString("}\n")
	case 8:
		fmt.Fprintf(g, "select {\ncase %s = <-%s.c:\n", g.place(), g.object())
		g.block(1)
		g.WriteString("default:\n}\n")
	case 9:
		fmt.Fprintf(g, "select {\ncase %s, %s.ok = <-%s.c:\ndefault:\n}\n", g.place(), g.object(), g.object())
	case 10:
		fmt.Fprintf(g, "func() {\n")
		g.block(2)
		g.WriteString("}()\n")
	case 11:
		fmt.Fprintf(g, "switch e := %s.e.(type) {\ncase int:\n%s = e\ncase string:\n%s.s = e\n}\n", g.object(), g.place(), g.object())
	case 12:
		g.WriteString(g.pick("delete("+g.object()+".m, "+g.key()+")\n", "copy("+g.object()+".l, "+g.object()+".l[1:])\n", "defer func() { "+g.assign()+" }()\n", g.object()+".l = append("+g.object()+".l, "+g.num()+")\n"))
	default:
		g.WriteString(g.assign() + "\n")
	}
}
