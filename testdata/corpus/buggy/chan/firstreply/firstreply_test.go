package firstreply

import (
	"errors"
	"testing"
)

func TestQuery(t *testing.T) {
	up := func() (string, error) { return "pong", nil }
	down := func() (string, error) { return "", errors.New("down") }
	if got := Query(up, down); got != "pong" {
		t.Errorf("got %q", got)
	}
}
