package toolchain

// The patch table is a list of edits. An edit names the function or type it changes and
// the shape it expects there; it is found through go/parser, so it survives everything
// in the file that it does not mention. Edits never add or remove lines before the end
// of the file, so positions in panics and traces are those of the original.
//
// Functions are named as in a panic: "runqput", "(*Mutex).Lock", "Value.Send"; type
// parameters are left out. Shapes are Go text, compared token by token: layout,
// comments and trailing commas do not matter. A shape that ends in "..." is a prefix:
// "for i := range n {..." is any such loop.

// edit is one change of one file of the standard library.
type edit struct {
	name  string // says what the edit is for
	file  string // relative to src
	place place
	in    string // the function or struct, "" for addImport and decl
	shape string // the statement or expression that is expected
	code  string // what is inserted, one line except for decl
	count int    // how often shape occurs
	from  string // first release, e.g. go1.26; "" for all
	below string // first release that the edit is no longer for; "" for none
}

// place says where, relative to in and shape, code goes.
type place string

const (
	atStart    place = "prologue"
	atLast     place = "before last"
	beforeStmt place = "before"
	afterStmt  place = "after"
	insteadOf  place = "replace"
	inStruct   place = "field"
	inImports  place = "import"
	atEnd      place = "declaration"
)

// prologue puts code at the start of the body of fn.
func prologue(name, file, fn, code string) edit {
	return edit{name: name, file: file, place: atStart, in: fn, code: code}
}

// beforeLast puts code before the last statement of the body of fn; expecting adds what
// that statement must be.
func beforeLast(name, file, fn, code string) edit {
	return edit{name: name, file: file, place: atLast, in: fn, code: code}
}

// before puts code before the one statement of fn that is stmt.
func before(name, file, fn, stmt, code string) edit {
	return edit{name: name, file: file, place: beforeStmt, in: fn, shape: stmt, code: code, count: 1}
}

// after puts code after the one statement of fn that is stmt.
func after(name, file, fn, stmt, code string) edit {
	return edit{name: name, file: file, place: afterStmt, in: fn, shape: stmt, code: code, count: 1}
}

// replace puts code in the place of the one expression or statement of fn that is old;
// with fn "" it looks everywhere in the file, constants and variables included.
func replace(name, file, fn, old, code string) edit {
	return edit{name: name, file: file, place: insteadOf, in: fn, shape: old, code: code, count: 1}
}

// field adds fields at the end of a struct, so that the offsets of the others, which
// assembly may know, stay.
func field(name, file, structName, code string) edit {
	return edit{name: name, file: file, place: inStruct, in: structName, code: code}
}

// addImport makes file import path, which may be preceded by a name and a space. It
// fits also where the file imports path already.
func addImport(name, file, path string) edit {
	return edit{name: name, file: file, place: inImports, code: path}
}

// decl appends declarations to file; code may have several lines.
func decl(name, file, code string) edit {
	return edit{name: name, file: file, place: atEnd, code: code}
}

// since restricts e to the given release and later ones.
func (e edit) since(release string) edit { e.from = release; return e }

// until restricts e to releases before the given one.
func (e edit) until(release string) edit { e.below = release; return e }

// times says that the shape of e occurs n times, and that e is for all of them.
func (e edit) times(n int) edit { e.count = n; return e }

// expecting says what the last statement is that a beforeLast edit goes before.
func (e edit) expecting(stmt string) edit { e.shape = stmt; return e }
