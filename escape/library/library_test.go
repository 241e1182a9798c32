package library

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// calls are calls of the listed methods and functions, on x of the type's name.
var calls = map[string]string{
	"bytes.Buffer.Grow": "Grow(1)", "bytes.Buffer.Next": "Next(1)", "bytes.Buffer.Read": "Read(make([]byte, 1))", "bytes.Buffer.ReadByte": "ReadByte()",
	"bytes.Buffer.ReadBytes": "ReadBytes(0)", "bytes.Buffer.ReadFrom": `ReadFrom(strings.NewReader("a"))`, "bytes.Buffer.ReadRune": "ReadRune()",
	"bytes.Buffer.ReadString": "ReadString(0)", "bytes.Buffer.Reset": "Reset()", "bytes.Buffer.Truncate": "Truncate(0)", "bytes.Buffer.Write": "Write(nil)",
	"bytes.Buffer.WriteByte": "WriteByte(0)", "bytes.Buffer.WriteRune": "WriteRune('a')", "bytes.Buffer.WriteString": `WriteString("")`,
	"bytes.Buffer.WriteTo": "WriteTo(io.Discard)", "bytes.Buffer.Bytes": "Bytes()",
	"bytes.Buffer.Len": "Len()", "bytes.Buffer.String": "String()",
	"strings.Builder.Reset": "Reset()", "strings.Builder.Write": "Write(nil)", "strings.Builder.WriteByte": "WriteByte(0)", "strings.Builder.WriteRune": "WriteRune('a')",
	"strings.Builder.WriteString": `WriteString("")`, "strings.Builder.Cap": "Cap()", "strings.Builder.Len": "Len()", "strings.Builder.String": "String()",
	"container/list.List.Init": "Init()", "container/list.List.PushBack": "PushBack(1)", "container/list.List.PushFront": "PushFront(1)",
	"container/list.List.Back": "Back()", "container/list.List.Front": "Front()", "container/list.List.Len": "Len()",
	"net/http.Header.Add": `Add("a", "b")`, "net/http.Header.Del": `Del("A")`, "net/http.Header.Set": `Set("a", "b")`, "net/http.Header.Clone": "Clone()",
	"net/http.Header.Get": `Get("a")`, "net/http.Header.Values": `Values("a")`,
	"net/textproto.MIMEHeader.Add": `Add("a", "b")`, "net/textproto.MIMEHeader.Del": `Del("A")`, "net/textproto.MIMEHeader.Set": `Set("a", "b")`,
	"net/textproto.MIMEHeader.Get": `Get("a")`, "net/textproto.MIMEHeader.Values": `Values("a")`,
	"net/url.Values.Add": `Add("a", "b")`, "net/url.Values.Del": `Del("a")`, "net/url.Values.Set": `Set("a", "b")`, "net/url.Values.Encode": "Encode()",
	"net/url.Values.Get": `Get("a")`, "net/url.Values.Has": `Has("a")`,
}

// functionCalls are calls of the listed functions and an access that each must race with;
// of slices, to either element.
var functionCalls = map[string][]string{
	"maps.Clone": {"maps.Clone(m)", "m[0] = 0"}, "maps.Copy": {"maps.Copy(map[int]int{}, m)", "m[0] = 0"},
	"io.WriteString": {`io.WriteString(b, "")`, "b.Len()"}, "fmt.Fprint": {`fmt.Fprint(b, "")`, "b.Len()"},
	"fmt.Fprintf": {`fmt.Fprintf(b, "")`, "b.Len()"}, "fmt.Fprintln": {"fmt.Fprintln(b)", "b.Len()"},
}

func init() {
	for name, call := range map[string]string{
		"slices.Clone": "slices.Clone(s)", "slices.Max": "slices.Max(s)", "slices.Min": "slices.Min(s)", "slices.Sort": "slices.Sort(s)",
		"slices.SortFunc": "slices.SortFunc(s, strings.Compare)", "slices.SortStableFunc": "slices.SortStableFunc(s, strings.Compare)",
		"sort.Strings": "sort.Strings(s)", "strings.Join": `strings.Join(s, "")`,
		"sort.Ints": "sort.Ints(n)", "sort.Float64s": "sort.Float64s(f)",
	} {
		v, value := call[strings.Index(call, "(")+1:][:1], `"a"`
		if v != "s" {
			value = "0"
		}
		functionCalls[name] = []string{call, v + "[0] = " + value, v + "[1] = " + value}
	}
}

var detector = flag.Bool("detector", false, "compare the tables with the race detector of the go command, which is built for net/http first")

// unseen are functions that are part of the runtime, which the detector does not see:
// maps.Clone fails with a fatal error in such a race.
var unseen = map[string]bool{"maps.Clone": true}

// TestEveryCallAccesses has the race detector of the go command confirm the tables: two
// calls of which one writes are a race.
func TestEveryCallAccesses(t *testing.T) {
	if !*detector {
		t.Skip("no -detector")
	}
	var cases []string
	for typ, m := range methods {
		for w := range strings.FieldsSeq(m.writes) {
			for other := range strings.FieldsSeq(m.writes + " " + m.reads) {
				a, b := calls[typ+"."+w], calls[typ+"."+other]
				if a == "" || b == "" {
					t.Fatalf("%s: no call of %s or %s", typ, w, other)
				}
				cases = append(cases, pair("x."+a, "x."+b, value(typ, m.memory)))
			}
		}
	}
	for name := range functions {
		c := functionCalls[name]
		if c == nil {
			t.Fatalf("no call of %s", name)
		}
		if unseen[name] {
			continue
		}
		for _, other := range c[1:] {
			cases = append(cases, pair(c[0], other, operands))
		}
	}
	out := run(t, cases)
	for i, c := range cases {
		if !strings.Contains(out, fmt.Sprintf("case%d.func1", i)) && !strings.Contains(out, fmt.Sprintf("case%d()", i)) {
			t.Errorf("no race in\n%s", c)
		}
	}
}

const operands = `m := map[int]int{1: 1}; b := new(bytes.Buffer); s := []string{"a", "b"}; n := []int{0, 1}; f := []float64{0, 1}; use(m, b, s, n, f)`

// value declares x. Maps and buffers have something in them.
func value(typ string, m Memory) string {
	short := typ[strings.LastIndex(typ, "/")+1:]
	switch {
	case m == Map:
		return "x := " + short + `{"a": {"b"}, "A": {"b"}}`
	case typ == "bytes.Buffer" || typ == "strings.Builder":
		return "x := new(" + short + `); x.WriteString("abc")`
	}
	return "x := new(" + short + ").Init()"
}

// pair is a function body in which a goroutine and its caller do a and b.
func pair(a, b, declare string) string {
	return declare + "\n\tdone := make(chan bool)\n\tgo func() {\n\t\t" + a + "\n\t\tdone <- true\n\t}()\n\t" + b + "\n\t<-done"
}

// run returns what the race detector says of all cases.
func run(t *testing.T, cases []string) string {
	dir := t.TempDir()
	var src strings.Builder
	src.WriteString("package main\n\nimport (\n")
	uses := map[string]string{"bytes": "Buffer", "container/list": "List", "net/http": "Header", "net/textproto": "MIMEHeader", "net/url": "Values",
		"strings": "Builder", "fmt": "Stringer", "io": "Writer", "maps": "", "slices": "", "sort": "Interface"}
	for p := range uses {
		fmt.Fprintf(&src, "\t%q\n", p)
	}
	src.WriteString(")\n\nfunc use(...any) {}\n\nvar _ = maps.Clone[map[int]int]\nvar _ = slices.Clone[[]int]\n")
	for p, name := range uses {
		if name != "" {
			fmt.Fprintf(&src, "var _ %s.%s\n", p[strings.LastIndex(p, "/")+1:], name)
		}
	}
	src.WriteString("\nfunc main() {\n\tfor range 20 { // the detector forgets\n")
	for i := range cases {
		fmt.Fprintf(&src, "\t\tcase%d()\n", i)
	}
	src.WriteString("\t}\n}\n")
	for i, c := range cases {
		fmt.Fprintf(&src, "\n//go:noinline\nfunc case%d() {\n\t%s\n}\n", i, c)
	}
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(src.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-race", file)
	cmd.Env = append(os.Environ(), "GORACE=exitcode=0", "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("the race detector does not run here: %v\n%s", err, out)
	}
	return string(out)
}
