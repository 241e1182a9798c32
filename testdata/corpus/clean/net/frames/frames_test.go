package frames

import (
	"net"
	"slices"
	"sync"
	"testing"
)

func TestSend(t *testing.T) {
	client, server := net.Pipe()
	s := New(client)
	var senders, closer sync.WaitGroup
	for _, message := range []string{"ann", "bob"} {
		senders.Go(func() { s.Send(message) })
	}
	closer.Go(func() {
		senders.Wait()
		client.Close()
	})
	var got []string
	for {
		message, err := Receive(server)
		if err != nil {
			break
		}
		got = append(got, message)
	}
	server.Close()
	closer.Wait()
	slices.Sort(got)
	if !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("received %q", got)
	}
}
