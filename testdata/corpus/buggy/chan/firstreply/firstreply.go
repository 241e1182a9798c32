// Package firstreply returns at the first good reply, and nobody receives the replies that come later.
//
// Expect: leak
package firstreply

// A Replica answers a query.
type Replica func() (string, error)

type reply struct {
	value string
	err   error
}

// Query asks all replicas at once and returns the first good reply.
func Query(replicas ...Replica) string {
	replies := make(chan reply)
	for _, ask := range replicas {
		go func() {
			value, err := ask()
			replies <- reply{value, err}
		}()
	}
	for range replicas {
		if r := <-replies; r.err == nil {
			return r.value
		}
	}
	return ""
}
