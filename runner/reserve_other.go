//go:build unix && !linux

package runner

import "os"

// reserve gives f so many bytes.
func reserve(f *os.File, bytes int64) error { return f.Truncate(bytes) }
