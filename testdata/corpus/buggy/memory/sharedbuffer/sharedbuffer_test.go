package sharedbuffer

import (
	"strings"
	"testing"
)

func TestGreetings(t *testing.T) {
	got := Greetings("ann", "bob")
	if !strings.Contains(got, "hello ann\n") || !strings.Contains(got, "hello bob\n") {
		t.Errorf("greetings %q", got)
	}
}
