package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How long the cache keeps a binary after its last use. As many may be built in a day of
// edits as fill a disk, so those of the last days go, too, if they are too large together.
const (
	cacheAge    = 5 * 24 * time.Hour // as the go command's
	cacheRecent = 24 * time.Hour     // always kept: runs may be under way
	cacheSize   = 10 << 30           // bytes
)

// cached is a binary in the cache.
type cached struct {
	dir  string
	used time.Time // last
	size int64     // bytes
}

// pruneBinaries removes what is not to be kept of the binaries in dir. Failing to is
// harmless.
func pruneBinaries(dir string) {
	metas, _ := filepath.Glob(filepath.Join(dir, "*", "*", metaFile))
	var all []cached
	for _, f := range metas {
		c := cached{dir: filepath.Dir(f)}
		if info, err := os.Stat(f); err == nil {
			c.used = info.ModTime()
		}
		if info, err := os.Stat(filepath.Join(c.dir, binaryFile)); err == nil {
			c.size = info.Size()
		}
		all = append(all, c)
	}
	for _, c := range expired(all, time.Now()) {
		os.RemoveAll(c.dir)
	}
}

// expired returns those of all that are not to be kept.
func expired(all []cached, now time.Time) []cached {
	latestFirst := slices.SortedFunc(slices.Values(all), func(a, b cached) int { return b.used.Compare(a.used) })
	var out []cached
	size := int64(0)
	for _, c := range latestFirst {
		size += c.size
		if age := now.Sub(c.used); age > cacheAge || age > cacheRecent && size > cacheSize {
			out = append(out, c)
		}
	}
	return out
}
