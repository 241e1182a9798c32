package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// check analyses the packages and reports. Findings of packages that could be analysed are
// reported also if others could not.
func check(ctx context.Context, cfg *config, env []string, stdout, stderr io.Writer) error {
	run := driver.Config{Patterns: cfg.patterns, Env: env, Tests: cfg.tests, BuildFlags: cfg.buildFlags}
	if cfg.fix {
		if err := driver.ApplyFixes(ctx, run); err != nil {
			return err
		}
	}
	diags, failed := driver.Run(ctx, run)
	var load *driver.LoadError
	if failed != nil && !errors.As(failed, &load) {
		return failed
	}
	if cfg.checks != nil {
		diags = slices.DeleteFunc(diags, func(d driver.Diagnostic) bool { return !slices.Contains(cfg.checks, d.Check) })
	}
	base, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if cfg.writeBaseline != "" {
		if failed != nil {
			return failed // a baseline of half of the code would be wrong
		}
		return writeBaseline(cfg.writeBaseline, diags)
	}
	if cfg.baseline != "" {
		known, err := readBaseline(cfg.baseline)
		if err != nil {
			return err
		}
		diags = known.remove(diags)
	}
	if err := print(stdout, cfg.format, diags, base); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return failed
	case len(diags) > 0:
		return errFinding
	}
	return nil
}

// print prints diags; paths of files below base are relative to it.
func print(w io.Writer, f format, diags []driver.Diagnostic, base string) error {
	switch f {
	case formatJSON:
		return printJSON(w, diags)
	case formatSARIF:
		return printSARIF(w, diags, base)
	}
	return printText(w, diags, base)
}

// printText prints a line per diagnostic, and indented below it one per related place, as
// the go command does.
func printText(w io.Writer, diags []driver.Diagnostic, base string) error {
	for _, d := range diags {
		if _, err := fmt.Fprintf(w, "%s: %s (%s)\n", place(d.Position, base), d.Message, d.Check); err != nil {
			return err
		}
		for _, r := range d.Related {
			if _, err := fmt.Fprintf(w, "\t%s: %s\n", place(r.Position, base), r.Message); err != nil {
				return err
			}
		}
	}
	return nil
}

func place(p driver.Position, base string) string {
	p.File = relative(p.File, base)
	return p.String()
}

// relative returns file's path relative to base if it is below, else file.
func relative(file, base string) string {
	if rel, err := filepath.Rel(base, file); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return file
}
