package sched

import "strings"

// Claim is what the static analysis says of the locations that an access may be to: a
// set of the classes of package escape, in their order.
type Claim uint8

const (
	ClaimUnprotected Claim = 1 << iota // nothing: the access is a visible operation
	ClaimUnshared                      // one goroutine accesses the location
	ClaimReadOnly                      // it is not written once a second goroutine has accessed it
	ClaimLocked                        // from then on a lock is held at all accesses, exclusively at writes
	ClaimOrdered                       // conflicting accesses are ordered by happens-before
	ClaimAtomic                        // from then on all accesses are through sync/atomic
	ClaimInitial                       // the access is to a new object that no other goroutine has accessed

	// ClaimAny says nothing: the access may be to any location.
	ClaimAny = ClaimUnprotected | ClaimUnshared | ClaimReadOnly | ClaimLocked | ClaimOrdered | ClaimAtomic
)

var claimNames = []string{"unprotected", "unshared", "read-only", "locked", "ordered", "atomic", "initialisation"}

// String names the classes of the set.
func (c Claim) String() string {
	var names []string
	for i, n := range claimNames {
		if c&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, " or ")
}

// Audit asks a worker to compare what happens with what the static analysis claims.
type Audit struct {
	// Claims is a file with a byte for each number of an instrumented access: a Claim.
	Claims string `json:"claims"`
	// Open lists accesses that are taken for unprotected: their claims have been refuted.
	Open []uint32 `json:"open,omitempty"`
	// Watch lists accesses whose stacks are wanted.
	Watch []uint32 `json:"watch,omitempty"`
}

// AccessCount counts accesses to plain memory that are scheduling points if all are.
type AccessCount struct {
	All     int64 `json:"all"`
	Visible int64 `json:"visible"` // those that still are if the claims of the static analysis are relied on
}

// Add adds the accesses of n to c.
func (c *AccessCount) Add(n AccessCount) {
	c.All += n.All
	c.Visible += n.Visible
}

// Violation is an execution in which the location of an access was not what had been
// claimed.
type Violation struct {
	Trial  int         `json:"trial"`
	Replay Replay      `json:"replay"` // repeats the trial
	Claim  string      `json:"claim"`  // names of classes
	Reason string      `json:"reason"` // one sentence
	First  AuditAccess `json:"first"`  // of another goroutine
	Second AuditAccess `json:"second"` // the access at which the claim failed
	// Opened lists the accesses to the location, which are from now on taken for unprotected.
	Opened []uint32 `json:"opened"`
}

// AuditAccess is an access in a Violation.
type AuditAccess struct {
	Task   TaskID     `json:"task"`
	Name   string     `json:"name"`   // spawn path, see TaskInfo
	Access uint32     `json:"access"` // number of the instrumented access
	Op     string     `json:"op"`
	Claim  string     `json:"claim"`           // of the access
	Locks  []Position `json:"locks,omitempty"` // where the locks that are held were taken
	Stack  string     `json:"stack,omitempty"` // if the access is one of Audit.Watch
}
