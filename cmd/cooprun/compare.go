package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/strategy"
)

const defaultSeeds = 20

// checkCompare validates -compare and -seeds.
func (c *config) checkCompare() error {
	if c.compare == "" {
		return nil
	}
	switch o := &c.opts; {
	case c.seeds <= 0:
		return usageError("-seeds: must be positive")
	case c.replay != "" || c.explain || o.Isolate || o.Budget > 0:
		return usageError("-compare: not together with -replay, -explain, -isolate or -time")
	}
	for name := range strings.SplitSeq(c.compare, ",") {
		if _, err := strategy.ByName(name, strategy.Options{}); err != nil {
			return usageError("-compare: %w", err)
		}
		c.rivals = append(c.rivals, runner.Rival{Name: name, Native: strategy.Native(name), Search: strategy.Searches(name)})
	}
	return nil
}

// compare is explore with -compare: what is found is a table, and with -o a picture.
func compare(ctx context.Context, c *config, h report.Handler) error {
	if c.output == "" {
		return explore(ctx, c, h)
	}
	file := c.output
	if filepath.Ext(file) != ".svg" {
		file = filepath.Join(file, "comparison.svg")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return usageError("-o: %w", err)
	}
	f, err := os.Create(file)
	if err != nil {
		return usageError("-o: %w", err)
	}
	err = explore(ctx, c, report.Both{h, report.NewPicture(f)})
	if closing := f.Close(); closing != nil {
		err = errors.Join(usageError("-o: %w", closing), err)
	}
	return err
}
