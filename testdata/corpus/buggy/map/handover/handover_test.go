package handover

import "testing"

func TestFind(t *testing.T) {
	c := Open("ann", "bob")
	if n := c.Find("bob"); n != 2 {
		t.Errorf("bob is %d, want 2", n)
	}
}
