package expiry

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := New(time.Hour)
		time.Sleep(time.Hour)
		if token.Valid() {
			t.Error("still valid")
		}
	})
}
