package analyzers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
)

// Every check is documented: a name, a summary, its categories, and an address.
func TestSuite(t *testing.T) {
	suite := analyzers.Suite()
	if err := analysis.Validate(suite); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range suite {
		names = append(names, a.Name)
		if !strings.HasPrefix(a.Doc, a.Name+": ") {
			t.Errorf("%s: the documentation begins with %.30q", a.Name, a.Doc)
		}
		if a.URL != "https://pkg.go.dev/github.com/coopvet/coop/analyzers/"+a.Name {
			t.Errorf("%s: address %s", a.Name, a.URL)
		}
		for _, c := range categories(t, a.Name) {
			if !regexp.MustCompile(`(?s)Categor(y|ies:?) [^.]*\b` + c + `\b`).MatchString(a.Doc) {
				t.Errorf("%s: category %s is not documented", a.Name, c)
			}
		}
	}
	if !slices.IsSorted(names[:len(names)-1]) {
		t.Errorf("the checks are not in order: %s", names)
	}
}

// literal matches a category in the source of a check.
var literal = regexp.MustCompile(`Category: +"(\w+)"|report\((?:pass|[\w.()]+Pos\(\)|d), "(\w+)"`)

// categories are those that the source of a check mentions.
func categories(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(name, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no source, %v", name, err)
	}
	var all []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(src), -1) {
			all = append(all, m[1]+m[2])
		}
	}
	if len(all) == 0 {
		t.Errorf("%s: no category found", name)
	}
	return all
}
