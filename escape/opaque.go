package escape

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// manner says what a function that is not analysed does with what it is given.
type manner uint8

const (
	unknown manner = iota // anything: it may give it to other goroutines
	reads                 // reads what it can reach, calls methods such as String; keeps nothing, and its results are new
	keeps                 // reads and writes; it may put its arguments into one another and into its results
	nothing               // has no effect on memory of the program
)

// manners knows the packages of the standard library whose functions use what they are
// given only during the call and by the calling goroutine, or keep it in their
// arguments and results. All other packages are unknown. Functions that are different
// are listed by name, as F or T.M.
var manners = map[string]struct {
	all    manner
	except map[string]manner
}{
	"fmt": {reads, map[string]manner{
		"Errorf": keeps, "Sscan": keeps, "Sscanf": keeps, "Sscanln": keeps, "Fscan": keeps, "Fscanf": keeps, "Fscanln": keeps,
		"Scan": keeps, "Scanf": keeps, "Scanln": keeps, "Append": keeps, "Appendf": keeps, "Appendln": keeps,
	}},
	"errors":          {keeps, nil},
	"strings":         {keeps, stringsReads},
	"strconv":         {keeps, nil},
	"bytes":           {keeps, bytesReads},
	"unicode":         {nothing, nil},
	"unicode/utf8":    {reads, map[string]manner{"EncodeRune": keeps, "AppendRune": keeps}},
	"unicode/utf16":   {keeps, nil},
	"math":            {nothing, nil},
	"math/bits":       {nothing, nil},
	"math/cmplx":      {nothing, nil},
	"math/rand":       {keeps, nil},
	"math/rand/v2":    {keeps, nil},
	"math/big":        {keeps, nil},
	"sort":            {keeps, map[string]manner{"SearchInts": reads, "SearchStrings": reads, "SearchFloat64s": reads, "Search": reads, "IsSorted": reads, "SliceIsSorted": reads}},
	"slices":          {keeps, map[string]manner{"Contains": reads, "ContainsFunc": reads, "Index": reads, "IndexFunc": reads, "Equal": reads, "IsSorted": reads}},
	"maps":            {keeps, nil},
	"cmp":             {reads, nil},
	"container/list":  {keeps, nil},
	"container/heap":  {keeps, nil},
	"container/ring":  {keeps, nil},
	"bufio":           {keeps, nil},
	"io":              {keeps, map[string]manner{"Pipe": unknown}},
	"encoding/json":   {keeps, map[string]manner{"Marshal": reads, "MarshalIndent": reads, "Valid": reads}},
	"encoding/binary": {keeps, nil},
	"encoding/hex":    {keeps, nil},
	"encoding/base64": {keeps, nil},
	"hash":            {keeps, nil},
	"hash/fnv":        {keeps, nil},
	"hash/crc32":      {keeps, nil},
	"hash/maphash":    {keeps, nil},
	"crypto/sha256":   {keeps, nil},
	"crypto/sha1":     {keeps, nil},
	"crypto/md5":      {keeps, nil},
	"regexp":          {keeps, nil},
	"path":            {reads, nil},
	"path/filepath":   {keeps, nil},
	"text/tabwriter":  {keeps, nil},
	"time":            {keeps, timeUnknown},
	"context":         {keeps, nil},
	"runtime":         {nothing, map[string]manner{"SetFinalizer": unknown, "AddCleanup": unknown, "Stack": keeps, "Callers": keeps}},
	"runtime/debug":   {nothing, nil},
	"sync":            {keeps, nil},
	"sync/atomic":     {keeps, nil},
	"testing":         {reads, map[string]manner{"Main": unknown, "MainStart": unknown, "Benchmark": keeps}},
	"log":             {reads, map[string]manner{"New": keeps, "SetOutput": unknown, "Logger.SetOutput": unknown}},
	"os":              {reads, map[string]manner{"File.Read": keeps, "File.ReadAt": keeps, "NewFile": keeps}},
	"errors/internal": {unknown, nil},
}

var stringsReads = names(reads, "Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "EqualFold", "Fields", "HasPrefix", "HasSuffix",
	"Index", "IndexByte", "Join", "Repeat", "Replace", "ReplaceAll", "Split", "SplitN", "ToLower", "ToUpper", "Trim", "TrimSpace", "TrimPrefix", "TrimSuffix")

var bytesReads = names(reads, "Compare", "Contains", "Count", "Equal", "EqualFold", "HasPrefix", "HasSuffix", "Index", "IndexByte")

// timeUnknown: a timer's channel is written by the runtime, which is no other
// goroutine's access; a function that it calls is package syncop's matter.
var timeUnknown = map[string]manner{}

func names(m manner, list ...string) map[string]manner {
	out := make(map[string]manner)
	for _, n := range list {
		out[n] = m
	}
	return out
}

// mannerOf returns what calls of the function do.
func mannerOf(f *types.Func) manner {
	if f == nil || f.Pkg() == nil {
		if f != nil && f.Name() == "Error" {
			return reads // the method of error
		}
		return unknown
	}
	p, ok := manners[f.Pkg().Path()]
	if !ok {
		return unknown
	}
	name := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	if m, ok := p.except[name]; ok {
		return m
	}
	return p.all
}

// opaque adds a call of a function without a body here.
func (e *engine) opaque(s *callSite, fn *ssa.Function, args []value, result *loc) {
	e.useOpaque(s, mannerOf(syncop.Declared(fn)), fn.Signature, args, result)
}

// useOpaque adds what a call of the given manner may do.
func (e *engine) useOpaque(s *callSite, m manner, sig *types.Signature, args []value, result *loc) {
	if m == nothing {
		return
	}
	f := s.frame
	for i, a := range args {
		if !e.hasPointers(a.typ) {
			continue
		}
		if m == unknown {
			e.loseLoc(f, s.at, a.loc)
			continue
		}
		e.useDeep(s, a, m == keeps && !isFunc(a.typ))
		e.callBacks(s, a, sig, i, m)
	}
	if m == keeps {
		e.connect(args, sig, result)
	}
	if result == nil {
		return
	}
	switch results := sig.Results(); {
	case m == unknown:
		mark(result, false, true)
		mark(e.deref(result), false, true)
		for i := range results.Len() {
			if e.hasPointers(results.At(i).Type()) {
				mark(e.field(result, i), false, true)
				mark(e.deref(e.field(result, i)), false, true)
			}
		}
	default:
		for i := range results.Len() {
			if t := results.At(i).Type(); e.hasPointers(t) {
				l := e.resultLoc(result, results, i)
				l = e.deref(l)
				l.addOrigin(origin{at: s.at, many: true})
				l.foreign = true
			}
		}
	}
}

// resultLoc is the node of result number i, where the value of a call with one result
// is that result.
func (e *engine) resultLoc(result *loc, results *types.Tuple, i int) *loc {
	if results.Len() == 1 {
		return result
	}
	return e.field(result, i)
}

// useDeep adds that the call reads, and perhaps writes, all that it can reach from a.
func (e *engine) useDeep(s *callSite, a value, write bool) {
	acc := access{write: write, deep: true, who: s.who, frame: s.frame, at: s.at, early: !s.later && s.who == nil}
	if s.spawn {
		acc.who = e.thread(thread{at: s.at, outer: s.who, many: true, start: s.at})
	} else {
		for _, l := range s.locks {
			acc.locks = append(acc.locks, heldLock{l.lock, l.reading, ""})
		}
	}
	s.frame.deep = append(s.frame.deep, deepUse{root: a.loc, write: write, acc: acc})
}

// callBacks adds the calls of functions and methods that the call is given.
func (e *engine) callBacks(s *callSite, a value, sig *types.Signature, i int, m manner) {
	site := *s
	site.paths, site.bounds = nil, nil
	if fs, ok := a.typ.Underlying().(*types.Signature); ok {
		var args []value
		for n := range fs.Params().Len() {
			args = append(args, value{e.newLoc(nil), fs.Params().At(n).Type()})
		}
		e.addPending(s.frame, &pending{fn: e.deref(a.loc), args: args, sig: fs, site: site})
		return
	}
	formal := a.typ
	if recv := sig.Recv(); recv != nil {
		i--
	}
	if i >= 0 && i < sig.Params().Len() {
		formal = sig.Params().At(i).Type()
	}
	if sl, ok := formal.Underlying().(*types.Slice); ok && types.IsInterface(sl.Elem()) { // ...any
		e.addPending(s.frame, &pending{fn: e.deref(e.deref(a.loc)), methods: conventional, sig: sig, site: site})
		return
	}
	if it, ok := formal.Underlying().(*types.Interface); ok {
		allowed := conventional
		if it.NumMethods() > 0 {
			allowed = func(f *types.Func) bool { return conventional(f) || declares(it, f.Name()) }
		}
		e.addPending(s.frame, &pending{fn: e.deref(a.loc), methods: allowed, sig: sig, site: site})
	}
}

func declares(it *types.Interface, name string) bool {
	for i := range it.NumMethods() {
		if it.Method(i).Name() == name {
			return true
		}
	}
	return false
}

// conventional reports whether a method is one that the standard library looks for in
// values of any type.
func conventional(f *types.Func) bool {
	switch f.Name() {
	case "String", "Error", "GoString", "Format", "Unwrap", "Is", "As", "Read", "Write", "Close", "Len", "Less", "Swap", "Push", "Pop",
		"WriteTo", "ReadFrom", "WriteString", "ReadByte", "UnreadByte", "ReadRune", "UnreadRune", "WriteByte", "Seek", "Flush", "IsZero", "Scan",
		"Timeout", "Temporary", "Deadline", "Done", "Err", "Value":
		return true
	}
	return strings.HasPrefix(f.Name(), "Marshal") || strings.HasPrefix(f.Name(), "Unmarshal") || strings.HasPrefix(f.Name(), "Append")
}

// connect adds that what the call is given may be put into one another, where the
// types allow it, and into its results.
func (e *engine) connect(args []value, sig *types.Signature, result *loc) {
	var all []value
	for _, a := range args {
		if e.hasPointers(a.typ) && !isFunc(a.typ) {
			all = append(all, a)
		}
	}
	// One place holds all that is given; objects of the library lead to it.
	store := e.newLoc(nil)
	for _, a := range all {
		e.put(store, a)
	}
	if result == nil {
		return
	}
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		if e.hasPointers(t) && !isFunc(t) {
			e.put(store, value{e.resultLoc(result, sig.Results(), i), t})
		} else if isFunc(t) { // it may do anything with them
			e.unify(e.field(e.deref(e.resultLoc(result, sig.Results(), i)), inside), store)
		}
	}
}

// put connects a value of the call with the place that holds all of them.
func (e *engine) put(store *loc, a value) {
	switch t := a.typ.Underlying().(type) {
	case *types.Slice:
		if e.hasPointers(t.Elem()) {
			e.put(store, value{e.deref(a.loc), t.Elem()})
		} else if b, ok := t.Elem().Underlying().(*types.Basic); ok && b.Kind() != types.String {
			e.unify(e.deref(e.field(store, int(b.Kind())+100)), e.deref(a.loc)) // slices of one type may share an array
		}
	case *types.Struct, *types.Array, *types.Tuple:
		// What is in it is copied.
		e.unify(e.field(a.loc, inside), store)
	case *types.Pointer:
		if isLibrary(t.Elem()) || !e.hasPointers(t.Elem()) {
			e.unify(e.field(e.deref(a.loc), inside), store)
			return
		}
		e.unify(e.deref(store), e.deref(a.loc))
	default:
		e.unify(e.deref(store), e.deref(a.loc))
		e.unify(e.field(e.deref(a.loc), inside), store)
	}
}

// isLibrary reports whether t is a type of the standard library.
func isLibrary(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	first, _, _ := strings.Cut(n.Obj().Pkg().Path(), "/")
	return !strings.Contains(first, ".")
}
