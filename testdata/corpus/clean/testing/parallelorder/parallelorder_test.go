// Package parallelorder creates what the subtests need before it starts them.
package parallelorder

import (
	"sync"
	"testing"
)

func TestAccount(t *testing.T) {
	var accounts sync.Map
	accounts.Store("ann", 100)
	t.Run("update", func(t *testing.T) {
		t.Parallel()
		accounts.Store("ann", 200)
	})
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		if _, ok := accounts.Load("ann"); !ok {
			t.Error("no account")
		}
	})
}
