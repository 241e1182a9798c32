// Package parallelorder has parallel subtests of which one needs what another creates.
//
// Expect: fail
package parallelorder

import (
	"sync"
	"testing"
)

func TestAccount(t *testing.T) {
	var accounts sync.Map
	t.Run("create", func(t *testing.T) {
		t.Parallel()
		accounts.Store("ann", 100)
	})
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		if _, ok := accounts.Load("ann"); !ok {
			t.Error("no account")
		}
	})
}
