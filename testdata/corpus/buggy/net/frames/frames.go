// Package frames writes the length and the body of a message in two writes, between which another sender can write.
//
// Expect: fail
package frames

import (
	"io"
	"net"
)

// A Sender sends messages over a connection.
type Sender struct{ conn net.Conn }

// New returns a sender over conn.
func New(conn net.Conn) *Sender { return &Sender{conn: conn} }

// Send sends a message of at most 255 bytes.
func (s *Sender) Send(message string) error {
	if _, err := s.conn.Write([]byte{byte(len(message))}); err != nil {
		return err
	}
	_, err := io.WriteString(s.conn, message)
	return err
}

// Receive reads one message.
func Receive(r io.Reader) (string, error) {
	var length [1]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return "", err
	}
	body := make([]byte, length[0])
	_, err := io.ReadFull(r, body)
	return string(body), err
}
