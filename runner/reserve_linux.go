package runner

import (
	"errors"
	"os"
	"syscall"
)

// reserve gives f so many bytes. A file that only has the length is refused them when a
// worker stores into the page, on a full disk: then the worker dies.
func reserve(f *os.File, bytes int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, bytes)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		return f.Truncate(bytes)
	}
	return os.NewSyscallError("fallocate", err)
}
