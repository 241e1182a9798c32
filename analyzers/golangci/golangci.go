// Package golangci makes the checks of coopvet a module plugin of golangci-lint.
//
// A golangci-lint with the plugin is built by "golangci-lint custom" from .custom-gcl.yml:
//
//	version: v2.6.0
//	plugins:
//	  - module: github.com/coopvet/coop
//	    import: github.com/coopvet/coop/analyzers/golangci
//	    version: latest
//
// and configured in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [coopvet]
//	  settings:
//	    custom:
//	      coopvet:
//	        type: module
//	        settings:
//	          disable: [condwait]
//
// Comments //coopvet:ignore are honoured, as are //nolint:coopvet.
package golangci

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
)

func init() { register.Plugin("coopvet", New) }

// Settings are those in .golangci.yml.
type Settings struct {
	Disable []string `json:"disable"` // names of checks that do not run
}

// New returns the plugin for the settings as golangci-lint passes them; nil are the defaults.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("coopvet: %w", err)
	}
	suite := analyzers.Suite()
	for _, name := range s.Disable {
		if !slices.ContainsFunc(suite, func(a *analysis.Analyzer) bool { return a.Name == name }) {
			return nil, fmt.Errorf("coopvet: there is no check %q", name)
		}
	}
	return plugin{slices.DeleteFunc(suite, func(a *analysis.Analyzer) bool { return slices.Contains(s.Disable, a.Name) })}, nil
}

type plugin struct{ suite []*analysis.Analyzer }

func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.suite, nil }

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
