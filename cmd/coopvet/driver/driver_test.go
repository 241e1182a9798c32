package driver_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coopvet/coop/analyzers"
	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// TestMain lets the test binary be the tool that "go vet" runs.
func TestMain(m *testing.M) {
	flag.String(driver.ScopeFlag, "", "")
	if last := os.Args[len(os.Args)-1]; last == "-V=full" || last == "-flags" || strings.HasSuffix(last, ".cfg") {
		unitchecker.Main(analyzers.Suite()...)
	}
	os.Exit(m.Run())
}

const source = `package m

func F(stop <-chan bool) int {
	result := make(chan int)
	go func() { result <- 1 }()
	select {
	case v := <-result:
		return v
	case <-stop:
		return 0
	}
}
`

func write(t *testing.T, content string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "f.go")
	for name, content := range map[string]string{filepath.Join(dir, "go.mod"): "module m\n\ngo 1.26\n", file: content} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, file
}

func TestRun(t *testing.T) {
	dir, file := write(t, source)
	diags, err := driver.Run(context.Background(), driver.Config{Dir: dir})
	if err != nil || len(diags) != 1 {
		t.Fatalf("error %v, diagnostics %v", err, diags)
	}
	want := driver.Diagnostic{
		Check: "blocked", Category: "leak",
		Message:  "the goroutine may wait forever to send to result: the only receiver can return before it receives",
		URL:      "https://pkg.go.dev/github.com/coopvet/coop/analyzers/blocked#leak",
		Package:  "m",
		Function: "F",
		Position: driver.Position{File: file, Line: 5, Column: 21},
		End:      driver.Position{File: file, Line: 5, Column: 21},
		Related: []driver.Related{{
			Position: driver.Position{File: file, Line: 10, Column: 3},
			End:      driver.Position{File: file, Line: 10, Column: 3},
			Message:  "returns without receiving",
		}},
		Fixes: []driver.Fix{{
			Message: "Give the channel room for the value",
			Edits:   []driver.Edit{{File: file, Start: strings.Index(source, "int)\n\tgo") + 3, End: strings.Index(source, "int)\n\tgo") + 3, New: ", 1"}},
		}},
	}
	if !reflect.DeepEqual(diags[0], want) {
		t.Errorf("got  %+v\nwant %+v", diags[0], want)
	}
}

// The overlay's content counts, its positions and offsets are those in it, and nothing of it
// is left in the go command's cache when the same content is on disk.
func TestOverlay(t *testing.T) {
	dir, file := write(t, "package m\n")
	run := func(overlay map[string][]byte) []driver.Diagnostic {
		t.Helper()
		diags, err := driver.Run(context.Background(), driver.Config{Dir: dir, Overlay: overlay})
		if err != nil {
			t.Fatal(err)
		}
		return diags
	}
	if diags := run(nil); len(diags) != 0 {
		t.Fatalf("diagnostics %v", diags)
	}
	inOverlay := run(map[string][]byte{file: []byte(source)})
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	onDisk := run(nil)
	if len(onDisk) != 1 || !reflect.DeepEqual(inOverlay, onDisk) {
		t.Errorf("overlay %+v\ndisk    %+v", inOverlay, onDisk)
	}
	if diags := run(map[string][]byte{file: []byte("package m\n")}); len(diags) != 0 {
		t.Errorf("diagnostics %v of what is not in the overlay", diags)
	}
	if diags := run(map[string][]byte{filepath.Join(dir, "new.go"): []byte("package m\n")}); len(diags) != 1 {
		t.Errorf("diagnostics %v with a new file", diags)
	}
}

func TestOverlayRelative(t *testing.T) {
	dir, _ := write(t, source)
	if _, err := driver.Run(context.Background(), driver.Config{Dir: dir, Overlay: map[string][]byte{"f.go": nil}}); err == nil {
		t.Error("no error for a relative path")
	}
}

func TestBuildError(t *testing.T) {
	dir, _ := write(t, "package m\n\nvar x int = true\n")
	_, err := driver.Run(context.Background(), driver.Config{Dir: dir})
	var load *driver.LoadError
	if !errors.As(err, &load) || load.Internal || !strings.Contains(load.Output, "f.go:3") {
		t.Errorf("error %v", err)
	}
}

func TestCancel(t *testing.T) {
	dir, _ := write(t, source)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := driver.Run(ctx, driver.Config{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestNoTool(t *testing.T) {
	dir, _ := write(t, source)
	_, err := driver.Run(context.Background(), driver.Config{Dir: dir, Tool: filepath.Join(dir, "none")})
	var load *driver.LoadError
	if !errors.As(err, &load) {
		t.Errorf("error %v", err)
	}
}

// A file that is analysed with and without the package's tests is reported once, and its
// dependencies are not.
func TestVariants(t *testing.T) {
	dir, _ := write(t, source)
	for name, content := range map[string]string{
		"f_test.go":   "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {}\n",
		"x_test.go":   "package m_test\n\nimport (\n\t\"testing\"\n\n\t_ \"m\"\n)\n\nfunc TestX(t *testing.T) {}\n",
		"use/use.go":  "package use\n\nimport _ \"m\"\n",
		"use2/use.go": "package use2\n\nimport _ \"m\"\n",
	} {
		file := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(file), 0o777)
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]int{"./...": 1, "./use": 0} {
		diags, err := driver.Run(context.Background(), driver.Config{Dir: dir, Patterns: []string{pattern}, Tests: true})
		if err != nil || len(diags) != want {
			t.Errorf("%s: error %v, diagnostics %v, want %d", pattern, err, diags, want)
		}
	}
}
