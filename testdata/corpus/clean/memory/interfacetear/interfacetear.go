// Package interfacetear replaces the interface value through an atomic pointer to it.
package interfacetear

import "sync/atomic"

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
type Encoder struct{ codec atomic.Pointer[Codec] }

func (e *Encoder) set(c Codec) { e.codec.Store(&c) }

// New returns an encoder with the plain codec.
func New() *Encoder {
	e := new(Encoder)
	e.set(&plain{"plain"})
	return e
}

// Escape changes the codec.
func (e *Encoder) Escape() { e.set(&escaped{'"', "escaped"}) }

// Encode encodes with the current codec.
func (e *Encoder) Encode(n uint32) string { return (*e.codec.Load()).Encode(n) }
