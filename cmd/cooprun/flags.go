package main

import (
	"crypto/rand"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/coopvet/coop/escape"
	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/strategy"
)

// config is a command line.
type config struct {
	patterns    []string
	args        []string // of the test binary
	env         []string
	dir         string // working directory
	cache       string
	run         string
	tags        string
	instrument  []string
	classify    string
	compare     string // strategies, separated by commas
	seeds       int    // of -compare
	rivals      []runner.Rival
	explain     bool
	work        int // of the analysis, see escape.Options
	audit       bool
	preemptions int
	replay      string
	output      string // -o
	json        bool
	verbose     bool
	build       []string // flags that a replay must repeat to build the same binary
	opts        runner.Options
}

const (
	defaultStrategy = "portfolio"
	defaultTrials   = 1000
	defaultSearch   = 1_000_000 // trials of an exhaustive search
	defaultMaxSteps = 1_000_000
	defaultHang     = 20 * time.Second
	defaultMinimise = 5 * time.Second
	defaultMemory   = 4096 // MB, resident, of a worker
)

func parseFlags(args, env []string, stderr io.Writer) (*config, error) {
	c := &config{env: env, work: escape.DefaultWork}
	if i := slices.Index(args, "--"); i >= 0 {
		args, c.args = args[:i], args[i+1:]
	}
	fs := flag.NewFlagSet("cooprun", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var instrument, seed string
	o := &c.opts
	fs.StringVar(&c.run, "run", "", "")
	fs.IntVar(&o.Trials, "trials", defaultTrials, "")
	fs.DurationVar(&o.Budget, "time", 0, "")
	fs.StringVar(&o.Strategy, "strategy", defaultStrategy, "")
	fs.StringVar(&seed, "seed", "1", "")
	fs.Float64Var(&o.Switch, "switch", 0, "")
	fs.IntVar(&c.preemptions, "preemptions", -1, "")
	fs.StringVar(&o.Clock, "clock", "idle", "")
	fs.StringVar(&c.replay, "replay", "", "")
	fs.BoolVar(&o.Isolate, "isolate", false, "")
	fs.BoolVar(&o.KeepGoing, "keep-going", false, "")
	fs.BoolVar(&o.Race, "race", true, "")
	fs.BoolVar(&o.Leak, "leak", true, "")
	fs.IntVar(&o.MaxSteps, "maxsteps", defaultMaxSteps, "")
	fs.DurationVar(&o.Hang, "hang", defaultHang, "")
	fs.StringVar(&c.tags, "tags", "", "")
	fs.StringVar(&instrument, "instrument", "", "")
	fs.StringVar(&c.classify, "classify", classifyStatic, "")
	fs.BoolVar(&c.explain, "explain", false, "")
	fs.BoolVar(&c.audit, "audit", false, "")
	fs.IntVar(&o.Workers, "p", runtime.GOMAXPROCS(0), "")
	fs.BoolVar(&c.verbose, "v", false, "")
	fs.BoolVar(&c.json, "json", false, "")
	fs.StringVar(&c.output, "o", "", "")
	fs.StringVar(&c.compare, "compare", "", "")
	fs.IntVar(&c.seeds, "seeds", defaultSeeds, "")
	fs.BoolVar(&o.Orders, "stats", false, "")
	memory := fs.Int("memory", defaultMemory, "")
	cover := fs.Bool("cover", false, "")
	switch err := fs.Parse(args); {
	case err == flag.ErrHelp:
		fmt.Fprint(stderr, usage)
		return nil, errHelp
	case err != nil:
		return nil, usageError("%w (cooprun -help lists the flags)", err)
	}
	c.patterns = fs.Args()
	o.Memory = int64(*memory) << 20
	set := make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if set["time"] && !set["trials"] {
		o.Trials = 0
	} else if !set["trials"] && strategy.Searches(o.Strategy) {
		o.Trials = defaultSearch
	}
	if c.tags != "" {
		c.build = append(c.build, "-tags="+c.tags)
	}
	if instrument != "" {
		c.instrument = strings.Split(instrument, ",")
		c.build = append(c.build, "-instrument="+instrument)
	}
	if c.classify != classifyStatic {
		c.build = append(c.build, "-classify="+c.classify)
	}
	if c.audit {
		c.build = append(c.build, "-audit")
	}
	if *cover {
		return nil, usageError("-cover is not supported: it would measure, and run, the tests without instrumentation; use go test -cover")
	}
	if err := c.check(seed); err != nil {
		return nil, err
	}
	if err := c.checkCompare(); err != nil {
		return nil, err
	}
	return c, c.locate()
}

// check validates the values of flags.
func (c *config) check(seed string) error {
	o := &c.opts
	for _, p := range c.patterns {
		if strings.HasPrefix(p, "-") {
			return usageError("flag %s must come before the packages", p)
		}
	}
	if c.preemptions >= 0 {
		o.Strategy += fmt.Sprintf(":n=%d", c.preemptions)
	}
	if _, err := strategy.ByName(o.Strategy, strategy.Options{}); err != nil {
		return usageError("-strategy: %w", err)
	}
	o.Block, o.Native = strategy.Block(o.Strategy), strategy.Native(o.Strategy)
	o.Search = strategy.Searches(o.Strategy)
	switch {
	case c.classify != classifyStatic && c.classify != classifyAll && c.classify != classifyNone:
		return usageError("-classify: %q is neither static, all nor none", c.classify)
	case c.audit && c.classify != classifyStatic:
		return usageError("-audit examines -classify=static")
	case o.Clock != "idle" && o.Clock != "race":
		return usageError("-clock: %q is neither idle nor race", o.Clock)
	case o.Trials < 0 || o.Trials == 0 && o.Budget == 0:
		return usageError("-trials: must be positive")
	case o.Budget < 0:
		return usageError("-time: must be positive")
	case o.MaxSteps <= 0:
		return usageError("-maxsteps: must be positive")
	case o.Search && o.Isolate:
		return usageError("-isolate: strategy %s needs many schedules in one process", o.Strategy)
	case o.Hang <= 0:
		return usageError("-hang: must be positive")
	case o.Memory <= 0:
		return usageError("-memory: must be positive")
	case o.Workers <= 0:
		return usageError("-p: must be positive")
	case o.Switch < 0 || o.Switch > 1:
		return usageError("-switch: %v is not a probability", o.Switch)
	}
	if seed == "random" {
		var b [8]byte
		rand.Read(b[:])
		o.Seed = uint64(binary.NativeEndian.Uint32(b[:])) // short enough to be typed
	} else if n, err := strconv.ParseUint(seed, 10, 64); err != nil {
		return usageError("-seed: %q is neither a number nor random", seed)
	} else {
		o.Seed = n
	}
	if c.run != "" {
		// As in go test, the part after a slash selects subtests; the testing package
		// of the test binary sees to that.
		first, _, _ := strings.Cut(c.run, "/")
		re, err := regexp.Compile(first)
		if err != nil {
			return usageError("-run: %w", err)
		}
		o.Run = re
		c.args = append([]string{"-test.run=" + c.run}, c.args...)
	}
	o.Minimise = defaultMinimise
	o.Version = version()
	o.Command = strings.Join(append([]string{"cooprun"}, c.build...), " ")
	return nil
}

// locate finds the directories.
func (c *config) locate() (err error) {
	if c.dir, err = os.Getwd(); err != nil {
		return usageError("the working directory: %w", err)
	}
	c.opts.WorkingDir = c.dir
	if c.output != "" {
		if c.output, err = filepath.Abs(c.output); err != nil {
			return usageError("-o: %w", err)
		}
	}
	if c.cache = lookup(c.env, "COOPCACHE"); c.cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return usageError("no cache directory: %w; set COOPCACHE", err)
		}
		c.cache = filepath.Join(user, "cooprun")
	}
	if c.cache, err = filepath.Abs(c.cache); err != nil {
		return usageError("COOPCACHE: %w", err)
	}
	return nil
}

// lookup returns the value of an environment variable, "" if it is not set.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// version returns cooprun's own version.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// newHandler returns the handler that the flags ask for.
func newHandler(c *config, stdout io.Writer) report.Handler {
	if c.json {
		return report.NewJSON(stdout)
	}
	style := report.TextStyle{Verbose: c.verbose}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		style.Progress = true
		style.Color = lookup(c.env, "NO_COLOR") == "" && lookup(c.env, "TERM") != "dumb"
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			style.Width = w
		}
	}
	return report.NewText(stdout, style)
}
