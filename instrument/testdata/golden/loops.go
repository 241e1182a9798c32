// go1.21
package golden

type list struct {
	items []int
	table map[int]string
	arr   [4]int
	ch    chan int
	k, v  int
}

func loops(l *list, p *[4]int, seq func(func(int) bool)) {
	for range l.items {
	}
	for i := range l.arr {
		_ = i
	}
	for _, v := range l.arr {
		_ = v
	}
	for _, v := range p {
		_ = v
	}
	for _, v := range []int{
		1,
		2,
	} {
		_ = v
	}
	for _, v := range l.items {
		go func() { _ = v }()
	}
	for l.k, l.v = range l.items { // assigned
	}
	for l.k = range l.table {
	}
	for l.v = range l.ch {
	}
	for i := 0; i < 3; i++ {
		go func() { _ = i }()
	}
again:
	for _, v := range l.items {
		if v > 0 {
			goto again
		}
	}
	select {
	case l.v = <-l.ch:
	case l.ch <- l.v:
	default:
	}
}
