package instances

import "sync"

type account struct {
	mu      sync.Mutex
	id      int
	balance int
}

func transfer(src, dst *account, amount int) {
	src.mu.Lock()
	defer src.mu.Unlock()
	dst.mu.Lock() // want `dst.mu is taken with src.mu held: two calls with the two exchanged can wait for each other`
	defer dst.mu.Unlock()
	src.balance -= amount
	dst.balance += amount
}

func transferOrdered(src, dst *account, amount int) {
	first, second := src, dst
	if src.id > dst.id {
		first, second = dst, src
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	src.balance -= amount
	dst.balance += amount
}

func transferBranches(src, dst *account, amount int) {
	if src.id < dst.id {
		src.mu.Lock()
		dst.mu.Lock()
	} else {
		dst.mu.Lock()
		src.mu.Lock()
	}
	src.balance -= amount
	dst.balance += amount
	dst.mu.Unlock()
	src.mu.Unlock()
}

func (a *account) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) Richer(b *account) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance-b.total() > 0 // want `b.mu is taken by calling account.total with a.mu held`
}

type bank struct{ accounts []account }

func (b *bank) transfer(from, to int) {
	b.accounts[from].mu.Lock()
	b.accounts[to].mu.Lock() // want `b.accounts\[to\].mu is taken with b.accounts\[from\].mu held`
	b.accounts[to].mu.Unlock()
	b.accounts[from].mu.Unlock()
}

func (b *bank) transferOrdered(from, to int) {
	if from > to {
		from, to = to, from
	}
	b.accounts[from].mu.Lock()
	b.accounts[to].mu.Lock()
	b.accounts[to].mu.Unlock()
	b.accounts[from].mu.Unlock()
}

// The child is only reached from its parent.
type tree struct {
	mu    sync.Mutex
	child *tree
}

func (t *tree) walk() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.child != nil {
		t.child.walk()
	}
}

func (t *tree) handOver() {
	t.mu.Lock()
	c := t.child
	c.mu.Lock()
	t.mu.Unlock()
	c.mu.Unlock()
}

// Nobody else has the other object.
func clone(dst, src *account) {
	dst.mu.Lock()
	defer dst.mu.Unlock()
	src.mu.Lock()
	defer src.mu.Unlock()
	dst.balance = src.balance
}

func (a *account) Clone() *account {
	b := new(account)
	clone(b, a)
	return b
}

func total(all map[string]*account) (sum int) {
	for _, a := range all {
		a.mu.Lock() // want `instances.account.mu of each value is taken, and kept, in the order of a map iteration`
		defer a.mu.Unlock()
		sum += a.balance
	}
	return sum
}

func totalSlice(all []*account) (sum int) {
	for _, a := range all {
		a.mu.Lock()
		defer a.mu.Unlock()
		sum += a.balance
	}
	return sum
}

func totalOneByOne(all map[string]*account) (sum int) {
	for _, a := range all {
		a.mu.Lock()
		sum += a.balance
		a.mu.Unlock()
	}
	return sum
}
