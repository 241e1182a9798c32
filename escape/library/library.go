// Package library knows functions of the standard library of which every call accesses
// memory of its caller: an object that the caller owns, such as a bytes.Buffer, a map or
// the elements of a slice. The library itself gets no probes, so to cooprun such a call is
// the access.
//
// Only what happens in every call is listed, because a race that is reported must be one:
// a method that writes stores to a field that each method that reads loads. So bufio.Writer
// is missing (after an error it does nothing), and slices.Sort only reads (what is sorted
// it does not move).
package library

import (
	"go/types"
	"strings"
)

// Memory says what a call accesses.
type Memory uint8

const (
	Object   Memory = iota + 1 // what a pointer points to
	Map                        // the contents of a map
	Elements                   // all elements of a slice, if there are two
)

// Access is what every call of a function does with the receiver, or one of the arguments.
type Access struct {
	Memory Memory
	Write  bool
	Arg    int // index of the argument; -1: the receiver
	// Formats says that the call makes strings of further arguments before it writes.
	Formats bool
}

// methods lists methods by type: those that write and those that read.
var methods = map[string]struct {
	memory        Memory
	writes, reads string
}{
	"bytes.Buffer": {Object,
		"Grow Next Read ReadByte ReadBytes ReadFrom ReadRune ReadString Reset Truncate Write WriteByte WriteRune WriteString WriteTo",
		"Bytes Len String"},
	"strings.Builder":          {Object, "Reset Write WriteByte WriteRune WriteString", "Cap Len String"},
	"container/list.List":      {Object, "Init PushBack PushFront", "Back Front Len"},
	"net/http.Header":          {Map, "Add Del Set", "Clone Get Values"},
	"net/textproto.MIMEHeader": {Map, "Add Del Set", "Get Values"},
	"net/url.Values":           {Map, "Add Del Set", "Encode Get Has"},
}

// functions lists functions that access their first argument; those that copy, the second.
var functions = map[string]Access{
	"maps.Clone":            {Memory: Map},
	"maps.Copy":             {Memory: Map, Arg: 1},
	"slices.Clone":          {Memory: Elements},
	"slices.Max":            {Memory: Elements},
	"slices.Min":            {Memory: Elements},
	"slices.Sort":           {Memory: Elements},
	"slices.SortFunc":       {Memory: Elements},
	"slices.SortStableFunc": {Memory: Elements},
	"sort.Float64s":         {Memory: Elements},
	"sort.Ints":             {Memory: Elements},
	"sort.Strings":          {Memory: Elements},
	"strings.Join":          {Memory: Elements},
	"io.WriteString":        {Memory: Object, Write: true},
	"fmt.Fprint":            {Memory: Object, Write: true, Formats: true},
	"fmt.Fprintf":           {Memory: Object, Write: true, Formats: true},
	"fmt.Fprintln":          {Memory: Object, Write: true, Formats: true},
}

// Of returns what every call of f accesses; false if nothing is known. If the parameter
// is an interface, it does so if the argument is a Writer.
func Of(f *types.Func) (Access, bool) {
	if f == nil || f.Pkg() == nil {
		return Access{}, false
	}
	recv := f.Signature().Recv()
	if recv == nil {
		a, ok := functions[f.Pkg().Path()+"."+f.Name()]
		return a, ok
	}
	m, ok := methods[typeName(recv.Type())]
	switch {
	case !ok:
		return Access{}, false
	case has(m.writes, f.Name()):
		return Access{Memory: m.memory, Write: true, Arg: -1}, true
	case has(m.reads, f.Name()):
		return Access{Memory: m.memory, Arg: -1}, true
	}
	return Access{}, false
}

// Writer reports whether t is a pointer to an object whose Write method always writes it.
func Writer(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return isPointer && has(methods[typeName(t)].writes, "Write")
}

func has(list, name string) bool {
	for n := range strings.FieldsSeq(list) {
		if n == name {
			return true
		}
	}
	return false
}

// typeName is the full name of a named type, or of what a pointer points to.
func typeName(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}
