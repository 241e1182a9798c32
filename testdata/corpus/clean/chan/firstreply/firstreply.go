// Package firstreply receives every reply before it returns the first good one.
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
	first := ""
	for range replicas {
		if r := <-replies; r.err == nil && first == "" {
			first = r.value
		}
	}
	return first
}
