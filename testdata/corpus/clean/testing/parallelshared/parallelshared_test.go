// Package parallelshared gives each parallel subtest a fixture of its own.
package parallelshared

import "testing"

type fixture struct{ user string }

func (f *fixture) greeting() string { return "hi " + f.user }

func TestGreeting(t *testing.T) {
	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			f := &fixture{user}
			if got := f.greeting(); got != "hi "+user {
				t.Errorf("%q for %s", got, user)
			}
		})
	}
}
