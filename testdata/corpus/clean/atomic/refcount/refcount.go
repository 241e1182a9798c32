// Package refcount tests the result of the decrement.
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
	if f.refs.Add(-1) == 0 {
		f.closed.Add(1)
	}
}
