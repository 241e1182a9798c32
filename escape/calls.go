package escape

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// CallGraph returns the calls between the functions that have been analysed, as far as the
// analysis has found out who calls whom: a caller and a callee have one edge, without its
// site. The root calls what the outside does. Go statements are no calls.
func (r *Result) CallGraph() *callgraph.Graph {
	if r.calls == nil {
		r.calls = callgraph.New(nil)
		for _, k := range r.edges() {
			if !k.spawn {
				from := r.calls.Root
				if k.from != nil {
					from = r.calls.CreateNode(k.from)
				}
				callgraph.AddEdge(from, nil, r.calls.CreateNode(k.to))
			}
		}
	}
	return r.calls
}

// edges returns who calls or starts whom, in an order that does not change.
func (r *Result) edges() []edge {
	name := func(fn *ssa.Function) string {
		if fn == nil {
			return ""
		}
		return fn.String()
	}
	return slices.SortedFunc(maps.Keys(r.e.edges), func(a, b edge) int {
		return cmp.Or(cmp.Compare(name(a.from), name(b.from)), cmp.Compare(name(a.to), name(b.to)))
	})
}

// Calls returns by which calls the goroutine of an access comes to it: the function that
// is started, those that one calls next, and the one of the access; one of the shortest
// ways. It is empty if the goroutine is that which made the location, or if the way leads
// through code that is not analysed.
func (r *Result) Calls(a *Access) []*ssa.Function {
	if a.start == nil {
		return nil
	}
	if r.started == nil {
		r.started = make(map[*ssa.Function][]*ssa.Function)
		for _, k := range r.edges() {
			if k.spawn && k.from != nil {
				r.started[k.from] = append(r.started[k.from], k.to)
			}
		}
	}
	before := make(map[*callgraph.Node]*callgraph.Node) // on the way
	var queue []*callgraph.Node
	for _, fn := range r.started[a.start.Parent()] {
		n := r.CallGraph().CreateNode(fn)
		if _, seen := before[n]; !seen {
			before[n] = nil
			queue = append(queue, n)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n.Func == a.fn {
			var way []*ssa.Function
			for ; n != nil; n = before[n] {
				way = append(way, n.Func)
			}
			slices.Reverse(way)
			return way
		}
		for _, k := range n.Out {
			if _, seen := before[k.Callee]; !seen {
				before[k.Callee] = n
				queue = append(queue, k.Callee)
			}
		}
	}
	return nil
}
