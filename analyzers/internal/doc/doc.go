// Package doc takes the documentation of a check from the package comment of its doc.go, so
// that command and package page say the same.
package doc

import "strings"

// Text returns the part of source's package comment that follows the heading "# Analyzer
// name": its first line is "name: summary".
func Text(source string) string {
	text, _, _ := strings.Cut(source, "*/")
	_, text, ok := strings.Cut(text, "# Analyzer ")
	if !ok {
		panic("no documentation: no heading # Analyzer")
	}
	_, text, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(text)
}

// URL returns the address of the documentation of the check that package analyzers/name
// defines. A category of a finding is a fragment of it.
func URL(name string) string {
	return "https://pkg.go.dev/github.com/coopvet/coop/analyzers/" + name
}
