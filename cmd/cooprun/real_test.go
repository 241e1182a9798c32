package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner/report"
)

var (
	realModules = flag.String("modules", "", "third-party modules whose tests TestModules runs: names from realModule, separated by commas, or all")
	realDir     = flag.String("modules-dir", "", "where TestModules keeps the modules and the events of its runs; what is there already is not run again")
	realLimit   = flag.Duration("modules-limit", 5*time.Minute, "time that TestModules gives a package, natively and under cooprun")
	realTime    = flag.Duration("modules-time", time.Minute, "time that TestModules gives a test under cooprun")
)

// realTrials is the number of schedules of each test.
const realTrials = 100

// realModule lists modules that use goroutines heavily, with the packages that can be
// tested without a server or the network.
var realModule = []struct{ name, version, patterns string }{
	{"sync", "golang.org/x/sync@v0.24.0", "./..."},
	{"net", "golang.org/x/net@v0.62.0", "./http2/..."},
	{"zap", "go.uber.org/zap@v1.28.0", "./..."},
	{"golang-lru", "github.com/hashicorp/golang-lru/v2@v2.0.7", "./..."},
	{"nats", "github.com/nats-io/nats.go@v1.55.0", ". ./internal/... ./jetstream ./micro"},
	{"grpc", "google.golang.org/grpc@v1.85.0", "./internal/..."},
	{"bbolt", "go.etcd.io/bbolt@v1.5.0", "./..."},
	{"pebble", "github.com/cockroachdb/pebble@v1.1.5", "./internal/... ./record ./vfs/... ./objstorage/... ./sstable/..."},
	{"ristretto", "github.com/dgraph-io/ristretto/v2@v2.4.2", "./..."},
	{"ants", "github.com/panjf2000/ants/v2@v2.12.1", "./..."},
	{"conc", "github.com/sourcegraph/conc@v0.3.0", "./..."},
	{"websocket", "github.com/gorilla/websocket@v1.5.3", "./..."},
	{"go-redis", "github.com/redis/go-redis/v9@v9.23.0", "./internal/..."},
	{"client_golang", "github.com/prometheus/client_golang@v1.25.0", "./..."},
	{"clock", "github.com/benbjohnson/clock@v1.3.5", "./..."},
	{"time", "golang.org/x/time@v0.16.0", "./..."},
	{"go-cache", "github.com/patrickmn/go-cache@v2.1.0+incompatible", "./..."},
	{"go-resiliency", "github.com/eapache/go-resiliency@v1.7.0", "./..."},
	{"goleak", "go.uber.org/goleak@v1.3.0", "./..."},
	{"puddle", "github.com/jackc/puddle/v2@v2.2.3", "./..."},
	{"backoff", "github.com/cenkalti/backoff/v4@v4.3.0", "./..."},
}

// TestModules runs the tests of third-party modules, natively and under cooprun, and
// prints a table of what became of those that pass natively.
func TestModules(t *testing.T) {
	if *realModules == "" {
		t.Skip("no -modules")
	}
	dir := *realDir
	if dir == "" {
		dir = t.TempDir()
	}
	r := &realRun{dir: dir, bin: filepath.Join(dir, "cooprun")}
	if _, err := os.Stat(r.bin); err != nil {
		if out, err := exec.Command("go", "build", "-o", r.bin, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var all realCount
	table := []string{"module", "native complete finding  short missing"}
	for _, m := range realModule {
		if *realModules != "all" && !slices.Contains(strings.Split(*realModules, ","), m.name) {
			continue
		}
		c, err := r.module(t, m.name, m.version, strings.Fields(m.patterns))
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		all.add(c)
		table = append(table, m.version, c.String())
		for _, line := range c.explain {
			t.Logf("%s: %s", m.name, line)
		}
		if c.complete*10 < c.native*9 {
			t.Errorf("%s: only %d of %d tests run to completion", m.name, c.complete, c.native)
		}
	}
	table = append(table, "all", all.String())
	for i := 0; i < len(table); i += 2 {
		t.Logf("%-48s %s", table[i], table[i+1])
	}
}

// realCount is what became of the tests that pass natively.
type realCount struct {
	native   int // they pass under go test
	complete int // all schedules were run to their end, none failed
	finding  int
	short    int // not all schedules were run, or not to their end
	missing  int // nothing is known of it: the package did not build, was stopped, or not supported
	explain  []string
}

func (c *realCount) String() string {
	return fmt.Sprintf("%6d %8d %7d %6d %7d   %5.1f %% complete", c.native, c.complete, c.finding, c.short, c.missing, 100*float64(c.complete)/float64(max(1, c.native)))
}

func (c *realCount) add(o *realCount) {
	c.native += o.native
	c.complete += o.complete
	c.finding += o.finding
	c.short += o.short
	c.missing += o.missing
}

type realRun struct {
	dir string // modules, and what was printed for them
	bin string // cooprun
}

// module runs the tests of one module.
func (r *realRun) module(t *testing.T, name, version string, patterns []string) (*realCount, error) {
	src := filepath.Join(r.dir, "src", name)
	if err := fetchModule(t, src, version); err != nil {
		return nil, err
	}
	pkgs, err := testedPackages(src, patterns)
	if err != nil {
		return nil, err
	}
	c := new(realCount)
	for _, pkg := range pkgs {
		file := filepath.Join(r.dir, name, strings.ReplaceAll(pkg, "/", "_"))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return nil, err
		}
		native := []string{"go", "test", "-json", "-count=1", "-vet=off", "-timeout", realLimit.String(), pkg}
		if err := r.record(t.Context(), src, file+".native", native); err != nil {
			return nil, err
		}
		passed, err := nativePasses(file + ".native")
		if err != nil {
			return nil, err
		}
		if len(passed) == 0 {
			continue
		}
		coop := []string{r.bin, "-json", "-trials", fmt.Sprint(realTrials), "-time", realTime.String(), "-o", filepath.Join(r.dir, "schedules"), pkg}
		if err := r.record(t.Context(), src, file+".coop", coop); err != nil {
			return nil, err
		}
		if err := c.count(file+".coop", pkg, passed); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// fetchModule copies a module from the module cache.
func fetchModule(t *testing.T, dst, version string) error {
	if _, err := os.Stat(dst); err == nil {
		return nil
	}
	cmd := exec.Command("go", "mod", "download", "-json", version)
	cmd.Dir = t.TempDir() // outside of any module
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %s", version, out)
	}
	var info struct{ Path, Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return err
	}
	if err := copyTree(dst, info.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dst, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		path, _, _ := strings.Cut(version, "@")
		return os.WriteFile(filepath.Join(dst, "go.mod"), []byte("module "+path+"\n"), 0o666)
	}
	return nil
}

func testedPackages(dir string, patterns []string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// record runs a command for at most -modules-limit and keeps what it prints.
func (r *realRun) record(ctx context.Context, dir, file string, args []string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, *realLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return err
	}
	return os.WriteFile(file, out, 0o666)
}

// nativePasses returns the top-level tests that pass.
func nativePasses(file string) (map[string]bool, error) {
	passed := make(map[string]bool)
	err := jsonLines(file, func(line []byte) {
		var e struct{ Action, Test string }
		if json.Unmarshal(line, &e) == nil && e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/") {
			passed[e.Test] = true
		}
	})
	return passed, err
}

// count adds what the events of one package say of its tests that pass natively.
func (c *realCount) count(file, pkg string, passed map[string]bool) error {
	state := make(map[string]string)
	var reasons []string
	err := jsonLines(file, func(line []byte) {
		event, err := report.Parse(line)
		if err != nil {
			return
		}
		switch e := event.(type) {
		case report.Note:
			if strings.Contains(e.Text, "cut off") {
				state[e.Test] = "short"
			}
			if passed[e.Test] || e.Test == "" {
				reasons = append(reasons, fmt.Sprintf("%s.%s: %s", pkg, e.Test, e.Text))
			}
		case report.Finding:
			if passed[e.Test] {
				reasons = append(reasons, fmt.Sprintf("%s.%s: %s: %s (reproduced: %v)", pkg, e.Test, e.Kind, report.Sentence(&e), e.Reproduced))
			}
		case report.TestResult:
			switch {
			case e.Status == report.Fail:
				state[e.Test] = "finding"
			case e.Status == report.Error || e.Trials < realTrials:
				state[e.Test] = "short"
			case state[e.Test] == "":
				state[e.Test] = "complete"
			}
		case report.Build:
			if e.Error != "" {
				reasons = append(reasons, fmt.Sprintf("%s: %s", pkg, e.Error))
			}
		}
	})
	for test := range passed {
		c.native++
		switch state[test] {
		case "complete":
			c.complete++
		case "finding":
			c.finding++
		case "short":
			c.short++
		default:
			c.missing++
			reasons = append(reasons, fmt.Sprintf("%s.%s: not run", pkg, test))
		}
	}
	slices.Sort(reasons)
	c.explain = append(c.explain, reasons...)
	return err
}

// jsonLines calls f with each line of a file that looks like a JSON object.
func jsonLines(file string, f func([]byte)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	for sc.Scan() {
		if bytes.HasPrefix(sc.Bytes(), []byte("{")) {
			f(sc.Bytes())
		}
	}
	return sc.Err()
}
