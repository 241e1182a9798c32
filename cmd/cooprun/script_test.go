package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cooprun": main})
}

// TestScript runs the scripts of testdata/script: end-to-end tests of the command, each
// in a directory of its own. Besides testscript's own commands they have
//
//	exits code command args...
//
// which runs a command and compares its exit code.
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	goEnv := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	cache := t.TempDir() // all scripts share a patched toolchain
	proxy, err := goproxytest.NewServer("testdata/mod", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close) // the scripts run in parallel, after this function
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("COOPCACHE", cache)
			for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
				env.Setenv(name, goEnv[i])
			}
			env.Setenv("PATH", goEnv[3]+"/bin"+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("TESTPROXY", proxy.URL)
			env.Setenv("GOFLAGS", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits implements the script command of that name.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("%v", err)
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
