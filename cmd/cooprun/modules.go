package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coopvet/coop/instrument/toolchain"
)

// copiesDir is where the cache keeps copies of modules.
const copiesDir = "mod"

// moduleCopies makes the go command use copies of modules of the module cache, whose
// files an overlay may not replace.
type moduleCopies struct {
	flags []string // of go commands
	env   []string
}

// copyModules copies the modules of the given packages and prepares a go.mod, or in a
// workspace a go.work, that replaces them.
func copyModules(ctx context.Context, c *config, tc *toolchain.Toolchain, pkgs []*listed) (*moduleCopies, error) {
	out, err := goCommand(ctx, c, tc, nil, "env", "-json", "GOMOD", "GOWORK").Output()
	if err != nil {
		return nil, usageError("go env: %w", err)
	}
	var env struct{ GOMOD, GOWORK string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, err
	}
	var edits []string
	seen := make(map[string]bool)
	for _, l := range pkgs {
		m := l.Module
		if seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		real := m
		if m.Replace != nil {
			real = m.Replace
		}
		dir := joinImport(filepath.Join(c.cache, copiesDir), real.Path+"_"+real.Version) // an @ would be taken for the version
		if err := copyTree(dir, m.Dir); err != nil {
			return nil, usageError("-instrument: cannot copy module %s to the cache: %w", m.Path, err)
		}
		edits = append(edits, fmt.Sprintf("-replace=%s=%s", m.Path, dir))
	}
	tmp, err := os.MkdirTemp(filepath.Join(c.cache, copiesDir), "gomod-*")
	if err != nil {
		return nil, usageError("-instrument: %w", err)
	}
	context.AfterFunc(ctx, func() { os.RemoveAll(tmp) })
	if env.GOWORK != "" && env.GOWORK != "off" {
		return workspaceCopies(ctx, c, tc, env.GOWORK, tmp, edits)
	}
	mod := filepath.Join(tmp, "go.mod")
	if err := copyFile(mod, env.GOMOD); err != nil {
		return nil, usageError("-instrument: %w", err)
	}
	sum := strings.TrimSuffix(env.GOMOD, ".mod") + ".sum"
	if err := copyFile(strings.TrimSuffix(mod, ".mod")+".sum", sum); err != nil && !os.IsNotExist(err) {
		return nil, usageError("-instrument: %w", err)
	}
	args := append(append([]string{"edit"}, edits...), mod)
	if out, err := goCommand(ctx, c, tc, nil, "mod", args...).CombinedOutput(); err != nil {
		return nil, usageError("go mod edit: %s", out)
	}
	return &moduleCopies{flags: []string{"-modfile=" + mod, "-mod=mod"}}, nil
}

// workspaceCopies is copyModules for a workspace, whose go.work is replaced.
func workspaceCopies(ctx context.Context, c *config, tc *toolchain.Toolchain, work, tmp string, edits []string) (*moduleCopies, error) {
	out, err := goCommand(ctx, c, tc, nil, "work", "edit", "-json").Output()
	if err != nil {
		return nil, usageError("go work edit: %w", err)
	}
	var file struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &file); err != nil {
		return nil, err
	}
	for _, u := range file.Use { // relative to the original
		if !filepath.IsAbs(u.DiskPath) {
			edits = append(edits, "-dropuse="+u.DiskPath, "-use="+filepath.Join(filepath.Dir(work), u.DiskPath))
		}
	}
	copied := filepath.Join(tmp, "go.work")
	if err := copyFile(copied, work); err != nil {
		return nil, usageError("-instrument: %w", err)
	}
	if err := copyFile(copied+".sum", work+".sum"); err != nil && !os.IsNotExist(err) {
		return nil, usageError("-instrument: %w", err)
	}
	args := append(append([]string{"edit"}, edits...), copied)
	if out, err := goCommand(ctx, c, tc, nil, "work", args...).CombinedOutput(); err != nil {
		return nil, usageError("go work edit: %s", out)
	}
	return &moduleCopies{env: []string{"GOWORK=" + copied}}, nil
}

// copyTree copies the directory src to dst, unless it was done before.
func copyTree(dst, src string) error {
	if _, err := os.Stat(dst); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dst), "tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(tmp, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		return copyFile(to, path)
	})
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, dst); err != nil {
		if _, statErr := os.Stat(dst); statErr != nil {
			return err
		}
	}
	return nil
}

func copyFile(dst, src string) error {
	b, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	return os.WriteFile(dst, b, 0o666)
}
