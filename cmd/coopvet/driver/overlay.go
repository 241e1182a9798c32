package driver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// An overlay is a directory with the contents that replace those of files.
//
// A replacement begins with a line directive that gives it the name of the file it stands
// for, so that every position, also one that the go command takes from its cache, is that
// of the file. Offsets of edits are too large by the length of the directive.
type overlay struct {
	dir      string
	prefixes map[string]int // length of the directive in bytes, by file
}

func newOverlay(contents map[string][]byte) (_ *overlay, err error) {
	o := &overlay{prefixes: make(map[string]int)}
	if len(contents) == 0 {
		return o, nil
	}
	if o.dir, err = os.MkdirTemp("", "coopvet-overlay-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			o.remove()
		}
	}()
	replace := make(map[string]string)
	for name, content := range contents {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("overlay: %s is not an absolute path", name)
		}
		file := filepath.Join(o.dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(name)))
		if filepath.Ext(name) == ".go" {
			directive := "//line " + name + ":1:1\n"
			o.prefixes[name] = len(directive)
			content = append([]byte(directive), content...)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
		replace[name] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return o, os.WriteFile(o.file(), data, 0o600)
}

func (o *overlay) file() string { return filepath.Join(o.dir, "overlay.json") }

// flags are those of the go command.
func (o *overlay) flags() []string {
	if o.dir == "" {
		return nil
	}
	return []string{"-overlay=" + o.file()}
}

// shift makes the edits' offsets those in the contents as they were given.
func (o *overlay) shift(diags []Diagnostic) {
	for _, d := range diags {
		for _, f := range d.Fixes {
			for i := range f.Edits {
				e := &f.Edits[i]
				e.Start -= o.prefixes[e.File]
				e.End -= o.prefixes[e.File]
			}
		}
	}
}

func (o *overlay) remove() {
	if o.dir != "" {
		os.RemoveAll(o.dir)
	}
}
