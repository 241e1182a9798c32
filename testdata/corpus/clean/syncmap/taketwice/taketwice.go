// Package taketwice uses LoadAndDelete, which is one step.
package taketwice

import "sync"

// An Office redeems each ticket once.
type Office struct{ tickets sync.Map }

// Issue makes a ticket valid.
func (o *Office) Issue(ticket string) { o.tickets.Store(ticket, true) }

// Redeem reports whether the ticket was valid, and makes it invalid.
func (o *Office) Redeem(ticket string) bool {
	_, ok := o.tickets.LoadAndDelete(ticket)
	return ok
}
