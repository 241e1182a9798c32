package runner

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// sources finds in source files what operations are applied to. A file that cannot be
// read or parsed has no names; reports then show the object's number.
type sources struct {
	files map[string]map[int][]operand // file → line → operands
}

// operand is an operation in the source.
type operand struct {
	method string // "Lock", "<-", "close", ...
	expr   string
}

// operand returns what the only operation of the given kind on a line is applied to;
// "" if there is none, or several that differ.
func (s *sources) operand(kind sched.Kind, file string, line int) string {
	if file == "" {
		return ""
	}
	lines, ok := s.files[file]
	if !ok {
		lines = operands(file)
		if s.files == nil {
			s.files = make(map[string]map[int][]operand)
		}
		s.files[file] = lines
	}
	if kind == sched.Call {
		return callee(lines[line])
	}
	found := ""
	for _, o := range lines[line] {
		if !slices.Contains(kindMethods[kind], o.method) || o.expr == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = o.expr
	}
	return found
}

// callee returns the only method or function of a package that is called on a line.
func callee(calls []operand) string {
	found := ""
	for _, o := range calls {
		if !token.IsIdentifier(o.method) || o.expr == "" || !token.IsExported(o.method) {
			continue
		}
		if name := o.expr + "." + o.method; found != name {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// kindMethods says how operations are written.
var kindMethods = [sched.NumKinds][]string{
	sched.Lock: {"Lock"}, sched.TryLock: {"TryLock"}, sched.Unlock: {"Unlock"},
	sched.RLock: {"RLock"}, sched.TryRLock: {"TryRLock"}, sched.RUnlock: {"RUnlock"},
	sched.WLock: {"Lock"}, sched.TryWLock: {"TryLock"}, sched.WUnlock: {"Unlock"},
	sched.Send: {"send"}, sched.Recv: {"<-", "range"}, sched.Close: {"close"}, sched.ChanLen: {"len", "cap"},
	sched.Select: {"send", "<-"}, sched.SelectDefault: {"send", "<-"},
	sched.WaitGroupAdd: {"Add", "Done", "Go"}, sched.WaitGroupWait: {"Wait"},
	sched.CondWait: {"Wait"}, sched.CondSignal: {"Signal"}, sched.CondBroadcast: {"Broadcast"},
	sched.OnceDo: {"Do"}, sched.PoolOp: {"Get", "Put"},
	sched.MapOp:      {"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Range", "Clear"},
	sched.AtomicLoad: {"Load"}, sched.AtomicStore: {"Store"}, sched.AtomicRMW: {"Add", "Swap", "CompareAndSwap", "And", "Or"},
	sched.TimerSet: {"Reset", "Stop"},
}

// operands collects the operations of a file by the lines that they may be executed
// at: a call's is the line of its closing parenthesis's function name.
func operands(file string) map[int][]operand {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if f == nil || err != nil {
		return nil
	}
	lines := make(map[int][]operand)
	add := func(pos token.Pos, method string, x ast.Expr) {
		line := fset.Position(pos).Line
		lines[line] = append(lines[line], operand{method, text(fset, x)})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.SelectorExpr:
				add(n.Pos(), fun.Sel.Name, fun.X)
				if sel := fun.Sel.Pos(); fset.Position(sel).Line != fset.Position(n.Pos()).Line {
					add(sel, fun.Sel.Name, fun.X)
				}
			case *ast.Ident:
				if (fun.Name == "close" || fun.Name == "len" || fun.Name == "cap") && len(n.Args) == 1 {
					add(n.Pos(), fun.Name, n.Args[0])
				}
			}
		case *ast.SendStmt:
			add(n.Arrow, "send", n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n.OpPos, "<-", n.X)
			}
		case *ast.RangeStmt:
			add(n.For, "range", n.X)
		}
		return true
	})
	return lines
}

// maxExpr is the number of bytes of an expression in a report.
const maxExpr = 40

// text prints an expression in one line.
func text(fset *token.FileSet, x ast.Expr) string {
	var buf bytes.Buffer
	if err := printer.Fprint(&buf, fset, x); err != nil {
		return ""
	}
	s := string(bytes.Join(bytes.Fields(buf.Bytes()), []byte(" ")))
	if len(s) > maxExpr {
		return ""
	}
	return s
}
