package goroutine

import "testing"

type (
	fixture struct{ user string }
	other   struct{ user string }
)

func TestParallel(t *testing.T) {
	f := new(fixture)
	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			f.user = user // want `fixture.user is written here and written by another goroutine`
		})
	}
}

func TestSequential(t *testing.T) {
	f := new(fixture)
	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) { f.user = user })
	}
}

func TestCleanup(t *testing.T) {
	f := new(other)
	t.Cleanup(func() { f.user = "" })
	go func() { f.user = "ann" }() // want `other.user is written here and written by another goroutine`
}
