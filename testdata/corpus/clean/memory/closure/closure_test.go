package closure

import (
	"errors"
	"testing"
)

func TestAll(t *testing.T) {
	good := func() error { return nil }
	bad := func() error { return errors.New("bad") }
	if All(good, bad) == nil {
		t.Error("the failure is lost")
	}
}
