package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Check is one edit that was found to fit.
type Check struct {
	Edit  string // its name
	File  string // relative to GOROOT, e.g. src/runtime/proc.go
	Lines []int  // the lines that it changes
}

func (c Check) String() string {
	return fmt.Sprintf("%s:%s: %s", c.File, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Lines)), ","), "[]"), c.Edit)
}

// plan is what a patched tree differs in from its origin.
type plan struct {
	origin origin
	files  map[string][]byte // new contents, by name relative to src
	checks []Check
}

// newPlan applies the edits that are for o's release to o's files, in memory, and adds
// the new files.
func newPlan(o origin, edits []edit, added, linked fs.FS) (*plan, error) {
	p := &plan{origin: o, files: map[string][]byte{}}
	if err := addNew(p.files, added, o); err != nil {
		return nil, err
	}
	if err := addLinked(p.files, linked); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if _, err := os.Lstat(o.src(name)); err == nil {
			return nil, &FitError{o.release, "new file", path.Join("src", name), "the release has a file of this name"}
		}
	}
	var names []string
	byFile := map[string][]edit{}
	for _, e := range edits {
		if !o.within(e.from, e.below) {
			continue
		}
		if byFile[e.file] == nil {
			names = append(names, e.file)
		}
		byFile[e.file] = append(byFile[e.file], e)
	}
	for _, name := range names {
		if err := p.edit(name, byFile[name]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// edit applies the edits of one file.
func (p *plan) edit(name string, edits []edit) error {
	file := path.Join("src", name)
	text, err := os.ReadFile(p.origin.src(name))
	if errors.Is(err, fs.ErrNotExist) {
		return &FitError{p.origin.release, edits[0].name, file, "there is no such file"}
	}
	if err != nil {
		return fmt.Errorf("toolchain: %w", err)
	}
	s, err := parse(file, text)
	if err != nil {
		return fmt.Errorf("toolchain: %w", err)
	}
	text, lines, bad, err := s.apply(edits)
	if err != nil {
		return &FitError{p.origin.release, bad.name, file, err.Error()}
	}
	p.files[name] = text
	for i, e := range edits {
		p.checks = append(p.checks, Check{e.name, file, lines[i]})
	}
	return nil
}

// src returns the path of a file below src, given with slashes.
func (o origin) src(name string) string {
	return filepath.Join(o.goroot, "src", filepath.FromSlash(name))
}

// name returns the directory name of the patched tree in the cache: release and origin,
// which pruning goes by, and a hash of everything that determines its contents.
func (p *plan) name() (prefix, full string) {
	h := sha256.New()
	fmt.Fprintln(h, p.origin.goroot)
	prefix = fmt.Sprintf("%s-%s-", p.origin.release, hex.EncodeToString(h.Sum(nil)[:4]))

	// VERSION tells apart two installations that succeed one another at one path.
	version, _ := os.ReadFile(filepath.Join(p.origin.goroot, "VERSION"))
	fmt.Fprintln(h, layout, p.origin.release, len(version))
	h.Write(version)
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		fmt.Fprintln(h, name, len(p.files[name]))
		h.Write(p.files[name])
	}
	return prefix, prefix + hex.EncodeToString(h.Sum(nil)[:8])
}
