package main

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/coopvet/coop/analyzers"
	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// fingerprintKey names the way in which fingerprint computes its result.
const fingerprintKey = "coopvet/v1"

// printSARIF prints diags as a SARIF 2.1.0 log with one run. Paths are relative to the root
// of the repository around base, which is what code scanning resolves them against.
func printSARIF(w io.Writer, diags []driver.Diagnostic, base string) error {
	return sarifReport(diags, repository(base)).PrettyWrite(w)
}

func sarifReport(diags []driver.Diagnostic, root string) *sarif.Report {
	run := sarif.NewRunWithInformationURI("coopvet", "https://github.com/coopvet/coop")
	for _, a := range analyzers.Suite() {
		_, text, _ := strings.Cut(a.Doc, ": ")
		summary, _, _ := strings.Cut(text, "\n")
		run.AddRule(a.Name).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(summary)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(a.Doc)).
			WithHelpURI(a.URL)
	}
	run.WithColumnKind("unicodeCodePoints")
	places := &locator{root: root, lines: make(map[string][][]byte)}
	for _, d := range diags {
		result := run.CreateResultForRule(d.Check).
			WithLevel("warning").
			WithMessage(sarif.NewTextMessage(d.Message)).
			WithLocations([]*sarif.Location{places.location(d.Position, d.End)}).
			WithPartialFingerprints(map[string]string{fingerprintKey: fingerprint(d)})
		for i, r := range d.Related {
			result.AddRelatedLocation(places.location(r.Position, r.End).
				WithID(i + 1).WithMessage(sarif.NewTextMessage(r.Message)))
		}
		for _, f := range d.Fixes {
			result.AddFixe(places.fix(f))
		}
	}
	log := sarif.NewReport()
	log.AddRun(run)
	return log
}

// A locator makes SARIF's locations of ours.
type locator struct {
	root  string
	lines map[string][][]byte // of files, nil if they cannot be read
}

func (l *locator) location(from, to driver.Position) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(max(from.Line, 1)).WithStartColumn(l.column(from))
	if to.Line > from.Line || to.Line == from.Line && to.Column > from.Column {
		region.WithEndLine(to.Line).WithEndColumn(l.column(to))
	}
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(l.artifact(from.File)).WithRegion(region))
}

func (l *locator) artifact(file string) *sarif.ArtifactLocation {
	rel := relative(file, l.root)
	u := url.URL{Path: filepath.ToSlash(rel)}
	if filepath.IsAbs(rel) {
		u.Scheme = "file"
		return sarif.NewSimpleArtifactLocation(u.String())
	}
	return sarif.NewSimpleArtifactLocation(u.String()).WithURIBaseID("%SRCROOT%")
}

// column is p's column in code points; that in bytes if the file cannot be read.
func (l *locator) column(p driver.Position) int {
	lines, ok := l.lines[p.File]
	if !ok {
		if data, err := os.ReadFile(p.File); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		l.lines[p.File] = lines
	}
	if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column-1 > len(lines[p.Line-1]) {
		return max(p.Column, 1)
	}
	return utf8.RuneCount(lines[p.Line-1][:p.Column-1]) + 1
}

func (l *locator) fix(f driver.Fix) *sarif.Fix {
	changes := make(map[string]*sarif.ArtifactChange)
	fix := sarif.NewFix().WithDescription(sarif.NewTextMessage(f.Message))
	for _, e := range f.Edits {
		change := changes[e.File]
		if change == nil {
			change = sarif.NewArtifactChange().WithArtifactLocation(l.artifact(e.File))
			changes[e.File] = change
			fix.AddArtifactChange(change)
		}
		change.AddReplacement(sarif.NewReplacement().
			WithDeletedRegion(sarif.NewRegion().WithByteOffset(e.Start).WithByteLength(e.End - e.Start)).
			WithInsertedContent(sarif.NewArtifactContent().WithText(e.New)))
	}
	return fix
}

// repository returns the closest directory above dir, or dir itself, that holds .git; dir if
// there is none.
func repository(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}
