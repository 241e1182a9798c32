package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
	"github.com/coopvet/coop/analyzers/golangci"
)

// What golangci-lint does: it gets the plugin by name and asks it for the analyzers.
func TestPlugin(t *testing.T) {
	newPlugin, err := register.GetPlugin("coopvet")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		settings any
		without  string
	}{
		{nil, ""},
		{map[string]any{"disable": []any{"condwait"}}, "condwait"},
	} {
		p, err := newPlugin(tt.settings)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := p.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
		}
		if err := analysis.Validate(suite); err != nil {
			t.Error(err)
		}
		want := len(analyzers.Suite())
		if tt.without != "" {
			want--
		}
		if len(suite) != want || p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Errorf("%v: %d analyzers, want %d; mode %s", tt.settings, len(suite), want, p.GetLoadMode())
		}
		for _, a := range suite {
			if a.Name == tt.without {
				t.Errorf("%v: has %s", tt.settings, a.Name)
			}
		}
	}
}

func TestBadSettings(t *testing.T) {
	for _, settings := range []any{
		map[string]any{"disable": []any{"nothing"}},
		map[string]any{"enable": []any{"condwait"}},
	} {
		if _, err := golangci.New(settings); err == nil {
			t.Errorf("%v: no error", settings)
		}
	}
}
