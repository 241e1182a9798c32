// Package parallelshared lets parallel subtests change one fixture.
//
// Expect: race|fail
package parallelshared

import "testing"

type fixture struct{ user string }

func (f *fixture) greeting() string { return "hi " + f.user }

func TestGreeting(t *testing.T) {
	f := new(fixture)
	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			f.user = user
			if got := f.greeting(); got != "hi "+user {
				t.Errorf("%q for %s", got, user)
			}
		})
	}
}
