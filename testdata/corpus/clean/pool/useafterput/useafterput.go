// Package useafterput returns a copy of the buffer that goes back to the pool.
package useafterput

import (
	"bytes"
	"sync"
)

type buffer struct{ data []byte }

// A Renderer reuses its buffers.
type Renderer struct{ pool sync.Pool }

// New returns a renderer.
func New() *Renderer {
	return &Renderer{pool: sync.Pool{New: func() any { return new(buffer) }}}
}

// Greet renders a greeting.
func (r *Renderer) Greet(name string) []byte {
	b := r.pool.Get().(*buffer)
	defer r.pool.Put(b)
	b.data = append(b.data[:0], "hi "...)
	b.data = append(b.data, name...)
	return bytes.Clone(b.data)
}
