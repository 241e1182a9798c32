package golden

type node struct {
	n    int
	next *node
	list []int
	m    map[string]int
}

var global int
var head *node

func single(x *node, i int) {
	x.n = 1
	x.n = x.n + 1
	head.next.n = f()
	x.list[i] = 3
	global = f()
	local := 1
	local = 2
	_ = local
	x.next, head = head, nil
	x.n++
	x.n += f()
	head.n <<= 1.0
	if x.n, global = g(); x.n > 0 {
		x.m["a"] = 1
	}
	x.m[s()] = f()
	x.m["a"]++
	x.m[s()] += f()
	v, ok := x.m[s()]
	_, _ = v, ok
	v, ok = x.m["b"]
	for i := range x.list {
		_ = i
	}
	for _, v := range x.list {
		v := v
		_ = v
	}
	for k, v := range x.m {
		_, _ = k, v
	}
	for i := 0; i < x.n; i, x.n = i+1, x.n-1 {
	}
outer:
	for _, x.n = range x.list {
		continue outer
	}
}

func f() int        { return 1 }
func g() (int, int) { return 1, 2 }
func s() string     { return "a" }
func named() (err error) {
	go func() { err = nil }()
	a, err := h()
	_ = a
	return err
}
func h() (int, error) { return 0, nil }
