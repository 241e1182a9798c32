package toolchain

import (
	"bytes"
	"embed"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed all:_goroot
var newFiles embed.FS

const (
	linkedFrom = "github.com/coopvet/coop/runner/" // import prefix of the packages to link, as they are
	linkedTo   = "coop/"                           // and in the patched tree; go/build wants no dot in it
)

// addNew adds to files, which maps names relative to src to contents, the new files of
// the standard library that are for o's release.
func addNew(files map[string][]byte, fsys fs.FS, o origin) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if release, ok := strings.CutPrefix(firstLine(text), "//coop:"); ok {
			from, until := release, ""
			if not, ok := strings.CutPrefix(release, "!"); ok {
				from, until = "", not
			}
			if !o.within(from, until) {
				return nil
			}
		}
		files[name] = text
		return nil
	})
}

// addLinked adds the packages that are linked into the target to files, below coop/.
//
// The constraint coop marks what compiles only there: a file constrained to it loses
// the constraint, one constrained to its absence is left out.
func addLinked(files map[string][]byte, fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		constraint, at := buildLine(text)
		switch constraint {
		case "coop":
			text = append(text[:at:at], text[at+len("//go:build coop"):]...)
		case "!coop":
			return nil
		}
		text, err = relink(name, text)
		files[path.Join(linkedTo, name)] = text
		return err
	})
}

// relink rewrites the imports of linked packages in one file of them.
func relink(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, fmt.Errorf("toolchain: linked package: %w", err)
	}
	var out bytes.Buffer
	done := 0
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("toolchain: linked package: %s: %w", name, err)
		}
		if rest, ok := strings.CutPrefix(p, linkedFrom); ok {
			out.Write(text[done:fset.Position(spec.Path.Pos()).Offset])
			out.WriteString(strconv.Quote(linkedTo + rest))
			done = fset.Position(spec.Path.End()).Offset
		}
	}
	out.Write(text[done:])
	return out.Bytes(), nil
}

// buildLine returns the constraint of the //go:build line before the package clause and
// the offset of that line; at is -1 if there is none.
func buildLine(text []byte) (constraint string, at int) {
	for rest := text; len(rest) > 0; {
		line := firstLine(rest)
		if c, ok := strings.CutPrefix(line, "//go:build "); ok {
			return strings.TrimSpace(c), len(text) - len(rest)
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
		rest = rest[min(len(line)+1, len(rest)):]
	}
	return "", -1
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}
