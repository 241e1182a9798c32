package stuckproducer

import (
	"errors"
	"testing"
)

func TestSum(t *testing.T) {
	bad := errors.New("check failed")
	if _, err := Sum(2, func() error { return bad }); err != bad {
		t.Errorf("error %v, want %v", err, bad)
	}
}
