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
	reads                 // reads what it can reach, but writes its receiver and writers; keeps nothing, and its results are new
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
	"errors":          {keeps, map[string]manner{"Is": reads}},
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
	"slices":          {keeps, slicesReads},
	"maps":            {keeps, nil},
	"cmp":             {reads, map[string]manner{"Or": keeps}},
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
	"net/url":         {keeps, nil},
	"time":            {keeps, nil},
	"context":         {keeps, nil},
	"runtime":         {keeps, map[string]manner{"KeepAlive": nothing}},
	"runtime/debug":   {keeps, nil},
	"sync":            {keeps, nil},
	"sync/atomic":     {keeps, nil},
	"testing":         {reads, map[string]manner{"Main": unknown, "MainStart": unknown, "Benchmark": keeps}},
	"log": {reads, map[string]manner{
		"New": keeps, "SetOutput": unknown, "Logger.SetOutput": unknown, "Writer": unknown, "Logger.Writer": unknown,
	}},
	"os": {reads, map[string]manner{"File.Read": keeps, "File.ReadAt": keeps, "NewFile": keeps}},
}

var stringsReads = names(reads, "Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "EqualFold", "Fields", "HasPrefix", "HasSuffix",
	"Index", "IndexByte", "Join", "Repeat", "Replace", "ReplaceAll", "Split", "SplitN", "ToLower", "ToUpper", "Trim", "TrimSpace", "TrimPrefix", "TrimSuffix")

var slicesReads = names(reads, "BinarySearch", "BinarySearchFunc", "Compare", "CompareFunc", "Contains", "ContainsFunc", "Equal", "EqualFunc",
	"Index", "IndexFunc", "IsSorted", "IsSortedFunc")

var bytesReads = names(reads, "Compare", "Contains", "Count", "Equal", "EqualFold", "HasPrefix", "HasSuffix", "Index", "IndexByte")

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
	f := syncop.Declared(fn)
	o := opaqueCall{s: s, manner: mannerOf(f), sig: fn.Signature, args: args, result: result, generic: len(fn.TypeArgs()) > 0, depth: depthOf(f)}
	if f != nil && f.Pkg() != nil {
		switch f.Pkg().Path() + "." + f.Name() {
		case "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
			// The result calls the argument, and has its type.
			// All its callers get the same results.
			e.unify(e.deref(result), e.deref(args[0].loc))
			e.field(e.deref(result), memo)
			return
		case "context.WithCancel", "context.WithCancelCause", "context.WithDeadline", "context.WithDeadlineCause", "context.WithTimeout", "context.WithTimeoutCause":
			e.watched(s, args[0])
		case "errors.As": // what the target points to is set to the error
			e.unify(e.deref(e.deref(args[1].loc)), e.deref(args[0].loc))
		}
	}
	if o.manner == unknown {
		for _, t := range fn.TypeArgs() {
			e.loseType(t)
		}
	}
	e.callOpaque(&o)
}

// opaqueCall is a call of a function that is not analysed.
type opaqueCall struct {
	s      *callSite
	manner manner
	sig    *types.Signature
	args   []value
	result *loc
	// generic: a result of the program's own types may be what an interface holds.
	generic bool
	depth   depth // how far it looks into arguments of the type any
	store   *loc  // leads to all that the call is given, and may give
}

// callOpaque adds what the call may do.
func (e *engine) callOpaque(o *opaqueCall) {
	if o.manner == nothing {
		return
	}
	if o.store == nil {
		o.store = e.newLoc(nil)
	}
	called := false
	for i, a := range o.args {
		if !e.hasPointers(a.typ) {
			continue
		}
		if o.manner == unknown {
			e.loseLoc(o.s.frame, o.s.at, a.loc)
			continue
		}
		receiver := i == 0 && o.sig.Recv() != nil && isLibraryObject(a.typ)
		e.useDeep(o.s, a, o.manner == keeps && !isFunc(a.typ) || receiver)
		called = e.callBacks(o, a, i) || called
	}
	if o.manner == keeps || called && o.manner == reads {
		for _, a := range o.args {
			e.put(o.store, a)
		}
	}
	if o.result == nil {
		return
	}
	e.opaqueResults(o)
}

// opaqueResults adds what the call may return.
func (e *engine) opaqueResults(o *opaqueCall) {
	results := o.sig.Results()
	for i := range results.Len() {
		t := results.At(i).Type()
		if !e.hasPointers(t) {
			continue
		}
		l := e.resultLoc(o.result, results, i)
		switch o.manner {
		case unknown:
			mark(l, false, true)
			mark(e.deref(l), false, true)
			continue
		case keeps:
			e.put(o.store, value{l, t})
			if o.generic {
				e.unify(e.deref(o.store), e.deref(l))
			}
		case reads:
			if types.IsInterface(t) {
				e.handBack(o, l)
			}
		}
		l = e.deref(l)
		l.addOrigin(origin{at: o.s.at, many: true})
		l.foreign = true
	}
}

// handBack adds that the call may return what the methods that it calls have: their errors.
func (e *engine) handBack(o *opaqueCall, result *loc) {
	for _, a := range o.args {
		switch {
		case types.IsInterface(a.typ):
			e.unify(e.deref(result), e.deref(e.field(e.deref(a.loc), inside)))
		case isLibraryObject(a.typ):
			kept := e.deref(e.field(e.deref(a.loc), inside))
			e.unify(e.deref(result), e.deref(e.field(kept, inside)))
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
	acc := access{write: write, deep: true, who: s.who, frame: s.frame, at: s.at, vague: s.vague, early: !s.later && !s.behind && s.who == nil}
	if s.spawn {
		acc.who = e.thread(thread{at: s.at, outer: s.who, many: true, start: s.at})
	} else {
		for _, l := range s.locks {
			acc.locks = append(acc.locks, heldLock{lock: l.lock, reading: l.reading, name: l.name})
		}
	}
	s.frame.deep = append(s.frame.deep, deepUse{root: a.loc, write: write, acc: acc})
}

// callBacks adds the calls of functions and methods that the call is given as argument
// number i, or that have been given to the library's object before. It reports whether
// there may be calls to which it passes arguments.
func (e *engine) callBacks(o *opaqueCall, a value, i int) bool {
	site := *o.s
	site.paths, site.bounds, site.loose, site.vague = nil, nil, true, true
	if fs, ok := a.typ.Underlying().(*types.Signature); ok {
		e.addPending(o.s.frame, &pending{fn: e.deref(a.loc), args: e.passed(o, fs), result: e.returned(o.store, fs), sig: fs, site: site})
		return true
	}
	if isLibraryObject(a.typ) {
		in := e.field(e.deref(a.loc), inside)
		e.addPending(o.s.frame, &pending{fn: e.deref(in), methods: e.calledBy(a.typ), by: packageOf(a.typ), sig: o.sig, site: site})
		fn := e.deref(e.field(in, kept))
		e.addPending(o.s.frame, &pending{fn: fn, sig: o.sig, args: nil, site: site})
		return false
	}
	formal := a.typ
	if o.sig.Recv() != nil {
		i--
	}
	if i >= 0 && i < o.sig.Params().Len() {
		formal = o.sig.Params().At(i).Type()
	}
	if sl, ok := formal.Underlying().(*types.Slice); ok && types.IsInterface(sl.Elem()) { // ...any
		e.addPending(o.s.frame, &pending{fn: e.deref(e.deref(a.loc)), methods: conventional, by: conventionalMethods, sig: o.sig, site: site, depth: o.depth})
	}
	if it, ok := formal.Underlying().(*types.Interface); ok {
		allowed, by, into := conventional, any(conventionalMethods), o.depth
		if it.NumMethods() > 0 {
			by, into = it, surface
			allowed = func(f *types.Func) bool { return conventional(f) || declares(it, f.Name()) }
			if n, ok := types.Unalias(formal).(*types.Named); ok && n.Obj().Pkg() != nil {
				allowed = e.optional(n.Obj().Pkg())
			}
		}
		streams := declares(it, "Write") || declares(it, "Read")
		e.addPending(o.s.frame, &pending{fn: e.deref(a.loc), methods: allowed, by: by, sig: o.sig, site: site, streams: streams, depth: into})
	}
	return false
}

// watched adds that package context calls methods of a context of the program's own, in
// a goroutine that waits for it or in whatever goroutine cancels another one.
func (e *engine) watched(s *callSite, ctx value) {
	site := callSite{frame: s.frame, at: s.at, who: s.who, spawn: true, many: true, loose: true}
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	e.addPending(s.frame, &pending{fn: e.deref(ctx.loc), methods: ofContext, by: contextMethods, sig: sig, site: site})
}

// Sets of methods that do not depend on a type.
const (
	conventionalMethods = "conventional"
	contextMethods      = "context"
)

func ofContext(f *types.Func) bool {
	switch f.Name() {
	case "Deadline", "Done", "Err", "Value", "AfterFunc":
		return true
	}
	return false
}

// calledBy returns the methods that an object of the library may call of what it has been
// given: those of the interfaces of its package are among them.
func (e *engine) calledBy(object types.Type) func(*types.Func) bool {
	return e.optional(packageOf(object))
}

// packageOf returns the package of an object of the library.
func packageOf(object types.Type) *types.Package {
	if p, ok := object.Underlying().(*types.Pointer); ok {
		object = p.Elem()
	}
	return types.Unalias(object).(*types.Named).Obj().Pkg()
}

// interfaces returns the names of the methods of a package's interfaces.
func (e *engine) interfaces(p *types.Package) map[string]bool {
	if names, ok := e.declared[p]; ok {
		return names
	}
	names := make(map[string]bool)
	for _, name := range p.Scope().Names() {
		if it, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok {
			for m := range it.Methods() {
				names[m.Name()] = true
			}
		}
	}
	e.declared[p] = names
	return names
}

// passed returns what the call passes to a function of signature fs: something of what
// it was given itself.
func (e *engine) passed(o *opaqueCall, fs *types.Signature) []value {
	var args []value
	for n := range fs.Params().Len() {
		v := value{e.newLoc(nil), fs.Params().At(n).Type()}
		if e.hasPointers(v.typ) {
			e.put(o.store, v)
			e.deref(v.loc).foreign = true
		}
		args = append(args, v)
	}
	return args
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

// returned is the node of the results of a function that the call calls: they are given
// to it, too.
func (e *engine) returned(store *loc, fs *types.Signature) *loc {
	l := e.newLoc(nil)
	for i := range fs.Results().Len() {
		e.put(store, value{e.resultLoc(l, fs.Results(), i), fs.Results().At(i).Type()})
	}
	return l
}

// kept is the field of the functions in what opaque code keeps.
const kept = -6

// put connects a value with the place that leads to all that a call is given: what is
// of the same type may be the same, and objects of the library may keep all of it.
func (e *engine) put(store *loc, a value) {
	if !e.hasPointers(a.typ) {
		return
	}
	same := func(t types.Type) { e.unify(e.deref(e.field(store, e.typeKey(t))), e.deref(a.loc)) }
	switch t := a.typ.Underlying().(type) {
	case *types.Signature:
		e.unify(e.deref(e.field(store, kept)), e.deref(a.loc))
		e.unify(e.field(e.deref(a.loc), inside), store)
	case *types.Slice:
		same(t)
		e.put(store, value{e.deref(a.loc), t.Elem()})
	case *types.Map:
		same(t)
		e.put(store, value{e.field(e.deref(a.loc), mapKey), t.Key()})
		e.put(store, value{e.field(e.deref(a.loc), mapValue), t.Elem()})
	case *types.Chan:
		same(t)
		e.put(store, value{e.field(e.deref(a.loc), sent), t.Elem()})
	case *types.Struct:
		e.putFields(store, a.loc, t, a.typ)
	case *types.Array:
		e.put(store, value{e.field(a.loc, elem), t.Elem()})
	case *types.Pointer:
		same(t.Elem())
		if e.field(e.deref(a.loc), inside) == store.find() {
			return // it has been here
		}
		e.unify(e.field(e.deref(a.loc), inside), store)
		if st, ok := t.Elem().Underlying().(*types.Struct); ok {
			e.putFields(store, e.deref(a.loc), st, t.Elem())
		} else {
			e.put(store, value{e.deref(a.loc), t.Elem()})
		}
	default: // interfaces
		e.unify(e.deref(store), e.deref(a.loc))
		e.unify(e.field(e.deref(a.loc), inside), store)
	}
}

// putFields connects the fields of a struct that the program can see, if it is the
// library's; what is in the program's own structs the library does not know.
func (e *engine) putFields(store, l *loc, st *types.Struct, t types.Type) {
	if !isLibrary(t) {
		return
	}
	for i := range st.NumFields() {
		if f := st.Field(i); f.Exported() {
			e.put(store, value{e.field(l, i), f.Type()})
		}
	}
}

// typeKey returns a field number that stands for the type.
func (e *engine) typeKey(t types.Type) int {
	if e.variants != nil {
		return e.variants.typeKey(t)
	}
	if k, ok := e.keys.At(t).(int); ok {
		return k
	}
	k := 1000 + e.keys.Len()
	e.keys.Set(t, k)
	return k
}

// isLibraryObject reports whether values of type t are, or point to, objects of the
// standard library, which may have kept what they were given.
func isLibraryObject(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return isLibrary(t) && !types.IsInterface(t)
}

// isLibrary reports whether t is a type of the standard library.
func isLibrary(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	_, ok = manners[n.Obj().Pkg().Path()]
	return ok
}
