// Package closures has locks that function literals capture.
package closures

import "sync"

func held() {}

func captured() {
	var mu sync.Mutex
	n := 0
	inc := func() {
		mu.Lock()
		held() // want "held: \\[mu\\]"
		n++
		mu.Unlock()
		held() // want "held: \\[\\]"
	}
	go inc()
	inc()
}

func inPlace() {
	var mu sync.Mutex
	mu.Lock()
	func() {
		mu.Unlock()
	}()
	held() // want "held: \\[\\]"
}

type box struct{ mu sync.Mutex }

func receiver(b *box) {
	go func() {
		b.mu.Lock()
		held() // want "held: \\[b.mu\\]"
		b.mu.Unlock()
	}()
	b.mu.Lock()
	held() // want "held: \\[b.mu\\]"
	b.mu.Unlock()
}

func acquiresInPlace(b *box) {
	func() { b.mu.Lock() }()
	held() // want "held: \\[b.mu\\]"
	b.mu.Unlock()
}

type gate struct {
	mu, other sync.Mutex
	name      string
}

func once(l sync.Locker) func() {
	var once sync.Once
	return func() { once.Do(l.Unlock) }
}

func named(*string) func() { return func() {} }

func opens(g *gate) {
	open, idle := once(&g.mu), named(&g.name)
	g.mu.Lock()
	g.other.Lock()
	defer open()
	idle()
	held() // want `held: \[g.mu, g.other\]`
	open()
	held() // want `held: \[g.other\]`
	g.other.Unlock()
}
