package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coopvet/coop/analyzers"
	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// isUnit tells whether args are those of the go command's protocol for vet tools.
func isUnit(args []string) bool {
	return slices.Contains(args, "-V=full") || slices.Contains(args, "-flags") ||
		len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg")
}

// runUnit is one step of that protocol, and the end of the process.
func runUnit() {
	suite := analyzers.Suite()
	flag.String(driver.ScopeFlag, "", "keeps cached results of runs with different values apart")
	cfg := readUnit(os.Args[len(os.Args)-1])
	if release := goRelease(); cfg.ID != "" && newer(release) {
		refuse(cfg, release)
	}
	if cfg.VetxOnly {
		// Of a package that only others depend on nothing is wanted but facts.
		// unitchecker would run every check that makes use of facts, too.
		suite = factAnalyzers(suite)
		if inGoroot(cfg) {
			// What the standard library means for concurrency is known (escape/syncop).
			suite = nil
		}
		os.Args = []string{os.Args[0], os.Args[len(os.Args)-1]}
	}
	unitchecker.Main(suite...)
}

// goRelease returns which release's go command runs this, or "".
func goRelease() string {
	data, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "VERSION"))
	if err != nil {
		return ""
	}
	release, _, _ := strings.Cut(string(data), "\n")
	return release
}

// newer tells whether the language of the release is newer than that of the release coopvet
// was built with, whose parser and type checker are in it.
func newer(release string) bool {
	return version.Compare(version.Lang(release), version.Lang(runtime.Version())) > 0
}

// refuse ends the process because the standard library of the release cannot be read. It is said where
// the user will see it, for the packages that are asked for.
func refuse(cfg unitchecker.Config, release string) {
	if cfg.VetxOnly {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "coopvet was built with %s and cannot read packages for %s: build it again with that release (GOTOOLCHAIN=%[2]s go install)\n", runtime.Version(), release)
	os.Exit(1)
}

// readUnit reads the description of the package; it is empty if that fails, which unitchecker
// reports.
func readUnit(file string) (cfg unitchecker.Config) {
	if !strings.HasSuffix(file, ".cfg") {
		return cfg
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &cfg) != nil {
		return unitchecker.Config{}
	}
	return cfg
}

// inGoroot tells whether the package belongs to the standard library.
func inGoroot(cfg unitchecker.Config) bool {
	root := filepath.Join(build.Default.GOROOT, "src") + string(filepath.Separator)
	return cfg.ModulePath == "" && strings.HasPrefix(cfg.Dir+string(filepath.Separator), root)
}

// factAnalyzers returns those that export facts among suite and what it requires.
func factAnalyzers(suite []*analysis.Analyzer) []*analysis.Analyzer {
	var facts []*analysis.Analyzer
	seen := make(map[*analysis.Analyzer]bool)
	var visit func([]*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if seen[a] {
				continue
			}
			seen[a] = true
			if len(a.FactTypes) > 0 {
				facts = append(facts, a)
			}
			visit(a.Requires)
		}
	}
	visit(suite)
	return facts
}
