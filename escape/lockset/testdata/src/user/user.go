// Package user uses the wrappers of another package.
package user

import "wrap"

func held() {}

func user(b *wrap.Box) {
	b.Lock()
	held() // want "held: \\[b.mu\\]"
	b.Unlock()
	held() // want "held: \\[\\]"
	if b.Try() {
		held() // want "held: \\[b.mu\\]"
		b.Unlock()
	}
}

func table() {
	wrap.LockTable()
	held() // want "held: \\[wrap.Table\\]"
	wrap.Table.Unlock()
	held() // want "held: \\[\\]"
}
