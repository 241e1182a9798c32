package orders

import "sync"

// buffer is the bounded buffer: a monitor in the manner of Java, with one condition.
type buffer struct {
	mu     sync.Mutex
	cond   sync.Cond
	values []int
	limit  int
}

func newBuffer(limit int) *buffer {
	b := &buffer{limit: limit}
	b.cond.L = &b.mu
	return b
}

func (b *buffer) put(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.values) == b.limit {
		b.cond.Wait()
	}
	b.values = append(b.values, x)
	b.cond.Broadcast()
}

func (b *buffer) get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.values) == 0 {
		b.cond.Wait()
	}
	x := b.values[0]
	b.values = b.values[1:]
	b.cond.Broadcast()
	return x
}

// exchange lets producers put n values each, which as many consumers get, and returns the sum.
func exchange(producers, n, limit int) int {
	b := newBuffer(limit)
	sums := make([]int, producers)
	var fs []func()
	for p := range producers {
		fs = append(fs, func() {
			for range n {
				b.put(1)
			}
		}, func() {
			for range n {
				sums[p] += b.get()
			}
		})
	}
	together(fs...)
	total := 0
	for _, s := range sums {
		total += s
	}
	return total
}

// flow sends n values through stages that add one to each, and returns the sum of what
// comes out. Between two stages is a slot for one value.
func flow(stages, n int) int {
	slots := make([]*buffer, stages+1)
	for i := range slots {
		slots[i] = newBuffer(1)
	}
	fs := []func(){func() {
		for range n {
			slots[0].put(0)
		}
	}}
	for i := range stages {
		fs = append(fs, func() {
			for range n {
				slots[i+1].put(slots[i].get() + 1)
			}
		})
	}
	total := 0
	fs = append(fs, func() {
		for range n {
			total += slots[stages].get()
		}
	})
	together(fs...)
	return total
}

// dine lets philosophers eat some meals each. The last one takes the right fork first.
func dine(philosophers, meals int) int {
	forks := make([]sync.Mutex, philosophers)
	eaten := make([]int, philosophers)
	fs := make([]func(), philosophers)
	for p := range fs {
		first, second := &forks[p], &forks[(p+1)%philosophers]
		if p == philosophers-1 {
			first, second = second, first
		}
		fs[p] = func() {
			for range meals {
				first.Lock()
				second.Lock()
				eaten[p]++
				second.Unlock()
				first.Unlock()
			}
		}
	}
	together(fs...)
	total := 0
	for _, n := range eaten {
		total += n
	}
	return total
}
