// Package afterfunc stops a context.AfterFunc and ignores that the function may already be running.
//
// Expect: race|fail
package afterfunc

import (
	"context"
	"errors"
)

// A Conn is unusable once it is aborted.
type Conn struct {
	aborted bool
	reads   int
}

// Read aborts the connection if the context is cancelled meanwhile. After a nil
// error the connection can be used again.
func (c *Conn) Read(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.aborted = true })
	c.reads++
	stop()
	if c.aborted {
		return errors.New("aborted")
	}
	return nil
}
