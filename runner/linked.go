package runner

import (
	"embed"
	"io/fs"
)

//go:embed sched/*.go strategy/*.go detect/*.go conductor
var linked embed.FS

// Linked returns the source of the packages that are linked into the program under
// test, by their directories: sched, conductor/probe, ... Their tests are included.
func Linked() fs.FS { return linked }
