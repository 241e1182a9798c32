package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coopvet/coop/analyzers"
)

// isUnit tells whether args are those of the go command's protocol for vet tools.
func isUnit(args []string) bool {
	return slices.Contains(args, "-V=full") || slices.Contains(args, "-flags") ||
		len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg")
}

// runUnit is one step of that protocol, and the end of the process.
func runUnit() {
	suite := analyzers.Suite()
	if file := os.Args[len(os.Args)-1]; isDependency(file) {
		// Of a package that only others depend on nothing is wanted but facts.
		// unitchecker would run every check that makes use of facts, too.
		suite = factAnalyzers(suite)
		os.Args = []string{os.Args[0], file}
	}
	unitchecker.Main(suite...)
}

// isDependency tells whether the package that file describes is analysed for its facts only.
func isDependency(file string) bool {
	if !strings.HasSuffix(file, ".cfg") {
		return false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false // unitchecker reports it
	}
	var cfg unitchecker.Config
	return json.Unmarshal(data, &cfg) == nil && cfg.VetxOnly
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
