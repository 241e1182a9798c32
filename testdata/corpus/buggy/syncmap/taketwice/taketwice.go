// Package taketwice loads a ticket and deletes it in two steps, so that it can be redeemed twice.
//
// Expect: fail
package taketwice

import "sync"

// An Office redeems each ticket once.
type Office struct{ tickets sync.Map }

// Issue makes a ticket valid.
func (o *Office) Issue(ticket string) { o.tickets.Store(ticket, true) }

// Redeem reports whether the ticket was valid, and makes it invalid.
func (o *Office) Redeem(ticket string) bool {
	if _, ok := o.tickets.Load(ticket); !ok {
		return false
	}
	o.tickets.Delete(ticket)
	return true
}
