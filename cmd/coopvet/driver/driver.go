// Package driver runs coopvet's analyzers over packages and returns what they find,
// positions resolved.
//
// It does so through the go command: "go vet -vettool" runs the executable once per
// package, dependencies first, and hands facts from one to the next. That makes the
// result the same as that of a plain "go vet -vettool=coopvet", needs no more memory than
// the largest package, runs packages in parallel, and keeps facts and findings of unchanged
// packages in the build cache.
package driver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Config says what to analyse.
type Config struct {
	Dir        string            // where the go command runs; "" is the current directory
	Patterns   []string          // packages, as the go command takes them; none is "."
	Env        []string          // as os.Environ; nil is the current environment
	Overlay    map[string][]byte // contents that replace those of files, by absolute path
	Tests      bool              // also report what is found in _test.go files
	BuildFlags []string          // flags for the go command, such as -tags=x
	Tool       string            // executable that speaks the vettool protocol; "" is this one
}

// A Position is a place in a file.
type Position struct {
	File   string `json:"file"`   // absolute path
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 1, in bytes
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// A Related is a place that has to do with a diagnostic: the other access, where a lock was
// taken.
type Related struct {
	Position Position `json:"position"`
	End      Position `json:"end"`
	Message  string   `json:"message"`
}

// An Edit replaces the bytes from Start to End of a file. Both are offsets in the file, or
// in what replaces it in the overlay.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// A Fix is a set of edits that belong together.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// A Diagnostic is one finding.
type Diagnostic struct {
	Check    string    `json:"check"`              // name of the analyzer
	Category string    `json:"category,omitempty"` // kind of finding within the check
	Message  string    `json:"message"`            // without positions; see Related
	URL      string    `json:"url,omitempty"`      // documentation
	Package  string    `json:"package"`            // import path
	Function string    `json:"function,omitempty"` // enclosing declaration: F, T.M or (*T).M; "" outside of functions
	Position Position  `json:"position"`
	End      Position  `json:"end"` // exclusive
	Related  []Related `json:"related,omitempty"`
	Fixes    []Fix     `json:"fixes,omitempty"`
}

// A LoadError says that packages could not be built or analysed. The diagnostics of the
// others are returned beside it.
type LoadError struct {
	Output   string // what the go command printed
	Internal bool   // it was the analysis that failed, not the build
}

func (e *LoadError) Error() string { return strings.TrimSpace(e.Output) }

// cancelDelay is how long the go command may take to end after an interrupt.
const cancelDelay = 5 * time.Second

// Run analyses the packages. The diagnostics are sorted by position and none is repeated.
// The error is a *LoadError, ctx's error, or says that the go command did not run.
func Run(ctx context.Context, cfg Config) ([]Diagnostic, error) {
	args := []string{"-json"}
	overlay, err := newOverlay(cfg.Overlay)
	if err != nil {
		return nil, err
	}
	defer overlay.remove()
	args = append(args, overlay.flags()...)
	stdout, stderr, failed, err := goVet(ctx, cfg, args)
	if err != nil {
		return nil, err
	}
	if len(stdout) == 0 {
		// Before Go 1.26 what the tool prints comes out there.
		stdout, stderr = separate(stderr)
	}
	failure := ""
	if failed {
		failure = stderr + "\n"
	}
	found, err := decode(stdout)
	if err != nil {
		return nil, err
	}
	diags := found.diagnostics
	if !cfg.Tests {
		diags = slices.DeleteFunc(diags, func(d Diagnostic) bool {
			return strings.HasSuffix(d.Position.File, "_test.go")
		})
	}
	overlay.shift(diags)
	setFunctions(diags, cfg.Overlay)
	setURLs(diags)
	return sorted(diags), loadError(failure, found.errors)
}

// ApplyFixes applies the first fix of each finding that has one to the files. What it returns is
// as for Run: it is no error that there are findings.
func ApplyFixes(ctx context.Context, cfg Config) error {
	_, stderr, failed, err := goVet(ctx, cfg, []string{"-fix"})
	if err != nil || !failed {
		return err
	}
	return loadError(stderr+"\n", nil)
}

// loadError is nil if there is nothing to say.
func loadError(stderr string, analysis []string) error {
	if len(analysis) > 0 {
		return &LoadError{Output: strings.Join(analysis, "\n"), Internal: true}
	}
	if stderr == "" {
		return nil
	}
	crashed := strings.Contains(stderr, "\npanic: ") || strings.Contains(stderr, "\ngoroutine ")
	return &LoadError{Output: stderr, Internal: crashed}
}

// ScopeFlag is a flag of the vet tool without a meaning. Since go1.26 the go command keeps what
// a tool finds in its cache, and takes for that of a package also what was found when only its facts
// were wanted, which is nothing. Flags are part of the cache's keys.
const ScopeFlag = "scope"

// scope is equal for configurations in which the same packages are asked for.
func scope(cfg Config) string {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		dir = cfg.Dir
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", dir, cfg.Patterns))
	return hex.EncodeToString(sum[:8])
}

// goVet runs "go vet" with the tool. failed tells whether its exit code was not 0.
func goVet(ctx context.Context, cfg Config, args []string) (stdout []byte, stderr string, failed bool, err error) {
	tool := cfg.Tool
	if tool == "" {
		if tool, err = os.Executable(); err != nil {
			return nil, "", false, err
		}
	}
	all := append([]string{"vet", "-vettool=" + tool, "-" + ScopeFlag + "=" + scope(cfg)}, cfg.BuildFlags...)
	all = append(append(all, args...), cfg.Patterns...)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", all...)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	cmd.Stdout, cmd.Stderr = &out, &errs
	// The go command ends its children when it is interrupted.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = cancelDelay
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, "", false, ctx.Err()
	case errors.As(err, &exit):
		return out.Bytes(), errs.String(), true, nil
	case err != nil:
		return nil, "", false, fmt.Errorf("go vet: %w", err)
	}
	return out.Bytes(), errs.String(), false, nil
}
