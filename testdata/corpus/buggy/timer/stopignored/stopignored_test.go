package stopignored

import (
	"testing"
	"time"
)

func TestSend(t *testing.T) {
	s := New(time.Millisecond)
	time.Sleep(time.Millisecond)
	if err := s.Send(); err != nil && err != ErrExpired {
		t.Error(err)
	}
}
