package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// layout is raised when build makes the tree differently.
const layout = 2

const (
	unused    = 30 * 24 * time.Hour // a tree not used for so long is removed
	abandoned = 24 * time.Hour      // an unfinished one, whose process died
	partial   = "partial-"          // name prefix of unfinished trees
	census    = "coop-files"        // the file that holds the number of files of a tree
)

var (
	copiedParts = []string{"src", "lib", "VERSION", "go.env", "pkg/include"}
	linkedParts = []string{"bin", "pkg/tool", "src/cmd"}
)

// tree returns the patched tree of p below dir, building it if it is not there. A tree
// appears under its name only when it is complete, so that processes which build the
// same one at once, or die doing so, do not disturb others.
func (p *plan) tree(ctx context.Context, dir string) (string, error) {
	prefix, name := p.name()
	root := filepath.Join(dir, name)
	if _, err := os.Stat(root); err == nil {
		if intact(root) {
			now := time.Now()
			_ = os.Chtimes(root, now, now) // for prune; a read-only cache is never pruned
			return root, nil
		}
		discard(dir, name)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, partial)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := p.build(ctx, tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, root); err != nil {
		if _, statErr := os.Stat(root); statErr != nil {
			return "", err
		} // else another process was faster
	}
	prune(dir, prefix, name)
	return root, nil
}

// build makes the patched tree in the directory root.
func (p *plan) build(ctx context.Context, root string) error {
	// MkdirTemp's directories are for their owner alone; a shared cache is not.
	if err := os.Chmod(root, 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(root, "pkg"), 0o777); err != nil {
		return err
	}
	for _, name := range copiedParts {
		err := copyTree(ctx, p.origin.goroot, root, filepath.FromSlash(name))
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && name != "src") {
			return err
		}
	}
	for _, name := range linkedParts {
		name = filepath.FromSlash(name)
		if err := os.Symlink(filepath.Join(p.origin.goroot, name), filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, text := range p.files {
		path := filepath.Join(root, "src", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	n, err := countFiles(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, census), []byte(strconv.Itoa(n)), 0o666)
}

// intact reports whether all files of a tree are there. Programs that clean up caches remove
// files by their age, and those of a tree are as old as the Go installation's.
func intact(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, census))
	if err != nil {
		return false
	}
	n, err := countFiles(root)
	return err == nil && strconv.Itoa(n) == string(text)
}

// countFiles counts the files below root, except for the one that holds their number.
func countFiles(root string) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != census {
			n++
		}
		return err
	})
	return n, err
}

// copyTree copies the file or directory name from one tree to another without what no
// build of a user's package needs. Symbolic links, which distributions use between the
// parts of their Go packages, are followed.
func copyTree(ctx context.Context, from, to, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(from, name))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(filepath.Join(from, name), filepath.Join(to, name), info)
	}
	if err := os.Mkdir(filepath.Join(to, name), 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(from, name))
	if err != nil {
		return err
	}
	for _, e := range entries {
		child := filepath.Join(name, e.Name())
		if e.Name() == "testdata" || strings.HasSuffix(e.Name(), "_test.go") || filepath.ToSlash(child) == "src/cmd" {
			continue
		}
		if err := copyTree(ctx, from, to, child); err != nil {
			return err
		}
	}
	return nil
}

// copyFile makes a writable copy, whatever the mode of the original: the files of a
// downloaded toolchain are read-only. It keeps the time, because the go command does not
// index files that changed just now.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// prune removes abandoned trees, and those of the same origin as keep, by their prefix,
// that have not been used for long. It is a courtesy: errors are left to the next time.
func prune(dir, prefix, keep string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.Name() == keep {
			continue
		}
		age := time.Since(info.ModTime())
		switch name := e.Name(); {
		case strings.HasPrefix(name, partial) && age > abandoned:
			os.RemoveAll(filepath.Join(dir, name))
		case strings.HasPrefix(name, prefix) && age > unused:
			discard(dir, name)
		}
	}
}

// discard removes a tree, first out of sight, so that no process meets half of it.
func discard(dir, name string) {
	gone := filepath.Join(dir, fmt.Sprint(partial, os.Getpid(), "-", name))
	if os.Rename(filepath.Join(dir, name), gone) == nil {
		os.RemoveAll(gone)
	}
}
