// Package useafterput returns a copy of the buffer that goes back to the pool.
package useafterput

import (
	"bytes"
	"sync"
)

type buffer [16]byte

// A Converter reuses its buffers.
type Converter struct{ pool sync.Pool }

// New returns a converter.
func New() *Converter {
	return &Converter{pool: sync.Pool{New: func() any { return new(buffer) }}}
}

// Upper returns a name of at most 16 lower-case letters in upper case.
func (c *Converter) Upper(name string) []byte {
	b := c.pool.Get().(*buffer)
	defer c.pool.Put(b)
	for i := range len(name) {
		b[i] = name[i] - 'a' + 'A'
	}
	return bytes.Clone(b[:len(name)])
}
