package lockorder

import "testing"

// Tests look at things in any order.
func look(t *testing.T, w *watched) {
	w.b.Lock()
	w.a.Lock()
	w.a.Unlock()
	w.b.Unlock()
}
