// Package afterfunc waits for the function of a context.AfterFunc when it comes too late to stop it.
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
	ran := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.aborted = true
		close(ran)
	})
	c.reads++
	if !stop() {
		<-ran
	}
	if c.aborted {
		return errors.New("aborted")
	}
	return nil
}
