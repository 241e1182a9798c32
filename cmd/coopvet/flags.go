package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
)

// A format is how findings are printed.
type format int

const (
	formatText format = iota
	formatJSON
	formatSARIF
)

// A config is what the command line says.
type config struct {
	patterns      []string
	fix           bool
	format        format
	checks        []string // nil: all
	tests         bool
	buildFlags    []string
	baseline      string // file to compare with, or ""
	writeBaseline string // file to write, or ""
}

func parseFlags(args []string, stderr io.Writer) (*config, error) {
	cfg := new(config)
	flags := flag.NewFlagSet("coopvet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage()) }
	flags.BoolVar(&cfg.fix, "fix", false, "")
	asJSON := flags.Bool("json", false, "")
	asSARIF := flags.Bool("sarif", false, "")
	checks := flags.String("checks", "", "")
	flags.BoolVar(&cfg.tests, "tests", true, "")
	tags := flags.String("tags", "", "")
	flags.StringVar(&cfg.baseline, "baseline", "", "")
	flags.StringVar(&cfg.writeBaseline, "write-baseline", "", "")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return nil, err
		}
		return nil, &exitError{code: codeUsage} // flags has printed it
	}
	cfg.patterns = flags.Args()
	switch {
	case *asJSON && *asSARIF:
		return nil, usageError("-json and -sarif exclude each other")
	case *asJSON:
		cfg.format = formatJSON
	case *asSARIF:
		cfg.format = formatSARIF
	}
	if cfg.baseline != "" && cfg.writeBaseline != "" {
		return nil, usageError("-baseline and -write-baseline exclude each other")
	}
	if *tags != "" {
		cfg.buildFlags = append(cfg.buildFlags, "-tags="+*tags)
	}
	return cfg, cfg.selectChecks(*checks)
}

// selectChecks sets the checks from a list of names separated by commas.
func (cfg *config) selectChecks(list string) error {
	if list == "" {
		return nil
	}
	var known []string
	for _, a := range analyzers.Suite() {
		known = append(known, a.Name)
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return usageError("there is no check %q; there are %s", name, strings.Join(known, ", "))
		}
		cfg.checks = append(cfg.checks, name)
	}
	return nil
}

// help prints what the command does or, with an argument, what a check does or how editors
// are set up.
func help(args []string, stdout io.Writer) error {
	suite := analyzers.Suite()
	if len(args) == 0 {
		fmt.Fprintf(stdout, "%s\nThe checks are:\n\n", usage())
		for _, a := range suite {
			_, summary, _ := strings.Cut(a.Doc, ": ")
			summary, _, _ = strings.Cut(summary, "\n")
			fmt.Fprintf(stdout, "  %-12s %s\n", a.Name, summary)
		}
		return nil
	}
	for _, name := range args {
		if name == "editors" {
			fmt.Fprint(stdout, editorsHelp)
			continue
		}
		i := slices.IndexFunc(suite, func(a *analysis.Analyzer) bool { return a.Name == name })
		if i < 0 {
			return usageError("there is no check %q", name)
		}
		fmt.Fprintf(stdout, "%s\n\n%s\n", suite[i].Doc, suite[i].URL)
	}
	return nil
}
