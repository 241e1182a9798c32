package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// supported lists the Go releases that the patch table is written for and tested with.
var supported = []string{"go1.25", "go1.26", "go1.27"}

// origin is the user's own Go installation, which is only ever read.
type origin struct {
	goroot     string // symbolic links resolved
	release    string // GOVERSION, e.g. go1.26.8, without experiments
	experiment string // GOEXPERIMENT as the user set it
}

// findOrigin asks the go command which installation it uses in dir. The command
// follows go.mod and GOTOOLCHAIN, so it may download one first.
func findOrigin(ctx context.Context, goCmd, dir string) (origin, error) {
	cmd := exec.CommandContext(ctx, goCmd, "env", "-json", "GOROOT", "GOVERSION", "GOEXPERIMENT")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return origin{}, ctx.Err()
	}
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return origin{}, fmt.Errorf("toolchain: cannot find the Go installation of %s: %w", dir, err)
	}
	var env struct{ GOROOT, GOVERSION, GOEXPERIMENT string }
	if err := json.Unmarshal(out, &env); err != nil {
		return origin{}, fmt.Errorf("toolchain: go env: %w", err)
	}
	o, err := origin{goroot: env.GOROOT, experiment: env.GOEXPERIMENT}.named(env.GOVERSION)
	if err != nil {
		return o, err
	}
	if o.goroot, err = filepath.EvalSymlinks(o.goroot); err != nil {
		return o, fmt.Errorf("toolchain: GOROOT: %w", err)
	}
	return o, nil
}

// named returns o as the release of the given GOVERSION, which lists experiments after
// it: "go1.26.8-X:name", before go1.26 "go1.25.5 X:name".
func (o origin) named(goversion string) (origin, error) {
	o.release = goversion
	if i := strings.Index(goversion, "X:"); i > 0 {
		o.release = strings.TrimRight(goversion[:i], " -")
	}
	if !slices.Contains(supported, o.lang()) {
		return o, &ReleaseError{Release: goversion, Origin: o.goroot}
	}
	return o, nil
}

// lang returns the release without its patch level, e.g. go1.26.
func (o origin) lang() string { return version.Lang(o.release) }

// within reports whether the release is at least from and below until; an empty bound
// does not restrict.
func (o origin) within(from, until string) bool {
	return (from == "" || version.Compare(o.lang(), from) >= 0) &&
		(until == "" || version.Compare(o.lang(), until) < 0)
}
