// Package refcount decrements and tests its count in two steps, so that two goroutines can see zero.
//
// Expect: fail
package refcount

import "sync/atomic"

// A File is shared by its references.
type File struct {
	refs   atomic.Int32
	closed atomic.Int32 // number of times that it was closed
}

// New returns a file with n references.
func New(n int32) *File {
	f := new(File)
	f.refs.Store(n)
	return f
}

// Release drops a reference and closes the file with the last.
func (f *File) Release() {
	f.refs.Add(-1)
	if f.refs.Load() == 0 {
		f.closed.Add(1)
	}
}
