package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// A ReleaseError says that the package's Go release is one the patch is not made for.
type ReleaseError struct {
	Release string // as go env GOVERSION prints it
	Origin  string // its GOROOT
}

func (e *ReleaseError) Error() string {
	last := supported[len(supported)-1]
	return fmt.Sprintf("toolchain: %s (%s) is not supported; supported are %s; choose one with GOTOOLCHAIN, for example GOTOOLCHAIN=%s.0",
		e.Release, e.Origin, strings.Join(supported, ", "), last)
}

// A FitError says that an edit does not fit the source of a release. Nothing has been
// written when it is returned.
type FitError struct {
	Release string
	Edit    string // name of the edit
	File    string // relative to GOROOT, e.g. src/runtime/proc.go
	Reason  string
}

func (e *FitError) Error() string {
	return fmt.Sprintf("toolchain: %s: edit %q does not fit %s: %s", e.Release, e.Edit, e.File, e.Reason)
}

// A CacheError says that the patched tree could not be written to the cache directory.
type CacheError struct {
	Dir string
	Err error
}

func (e *CacheError) Unwrap() error { return e.Err }

func (e *CacheError) Error() string {
	reason := e.Err.Error()
	switch {
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		reason = "the disk is full (the tree needs about 60 MB)"
	case errors.Is(e.Err, syscall.EROFS), errors.Is(e.Err, fs.ErrPermission):
		reason = "the directory is not writable"
	}
	return fmt.Sprintf("toolchain: cannot keep the patched Go tree in %s: %s", e.Dir, reason)
}
