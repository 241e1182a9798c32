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
