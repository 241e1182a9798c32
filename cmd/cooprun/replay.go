package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

// replay is the schedule of -replay.
type replay struct {
	*sched.Schedule
	file string // "" for a token
}

// schedule reads the schedule of -replay, if there is one, and makes its package the
// one to build unless the command line names another.
func (c *config) schedule() (*replay, error) {
	if c.replay == "" {
		return nil, nil
	}
	r := new(replay)
	var err error
	dir := ""
	if _, statErr := os.Stat(c.replay); sched.IsToken(c.replay) && errors.Is(statErr, fs.ErrNotExist) {
		r.Schedule, err = sched.ParseToken(c.replay)
	} else {
		var text []byte
		if text, err = os.ReadFile(c.replay); err != nil {
			return nil, usageError("-replay: %w", err)
		}
		r.Schedule, err = sched.ParseSchedule(text)
		if r.file, _ = filepath.Abs(c.replay); r.file != "" {
			dir, _, _ = strings.Cut(filepath.ToSlash(r.file), "/"+runner.SavedDir+"/")
		}
	}
	if err != nil {
		return nil, usageError("-replay %.60s: %w", c.replay, err)
	}
	switch rel, relErr := filepath.Rel(c.dir, dir); {
	case len(c.patterns) > 0:
	case dir != "" && dir != r.file && relErr == nil:
		c.patterns = []string{"./" + rel}
	default:
		c.patterns = []string{r.Package}
	}
	return r, nil
}
