package sleepsync

import "testing"

func TestOpen(t *testing.T) {
	if d := Open(); !d.ready.Load() {
		t.Error("the device is not ready")
	}
}
