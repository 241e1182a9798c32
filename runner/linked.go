package runner

import (
	"embed"
	"io/fs"
)

// Patterns, not directories: what else lies there, such as test data, is not linked.
//
//go:embed sched/*.go conductor/probe/*.go
var linked embed.FS

// Linked returns the source of the packages that are linked into the program under
// test, by their directories: sched, conductor/probe, ... Its tests are included.
func Linked() fs.FS { return linked }
