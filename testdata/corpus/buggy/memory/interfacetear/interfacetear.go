// Package interfacetear replaces an interface value, two words, while another goroutine calls its method.
//
// Expect: race
package interfacetear

// A Codec turns a number into text.
type Codec interface{ Encode(n uint32) string }

type plain struct{ name string }

func (p *plain) Encode(uint32) string { return p.name }

type escaped struct {
	quote byte
	name  string
}

func (e *escaped) Encode(uint32) string { return string(e.quote) + e.name + string(e.quote) }

// An Encoder can change its codec at any time.
type Encoder struct{ codec Codec }

// New returns an encoder with the plain codec.
func New() *Encoder { return &Encoder{codec: &plain{"plain"}} }

// Escape changes the codec.
func (e *Encoder) Escape() { e.codec = &escaped{'"', "escaped"} }

// Encode encodes with the current codec.
func (e *Encoder) Encode(n uint32) string { return e.codec.Encode(n) }
