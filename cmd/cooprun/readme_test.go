package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateReadme = flag.Bool("update", false, "write the output of the commands into README.md")

// A console is an example of README.md: a block of commands, and the output of the last
// one if the block shows any.
type console struct {
	commands []string
	output   string
}

// consoleBlock matches a block; its submatches are the commands and the output.
var consoleBlock = regexp.MustCompile("(?m)^```console\n((?:\\$ .*\n)+)((?s:.*?))^```$")

func consoles(readme string) []console {
	var all []console
	for _, m := range consoleBlock.FindAllStringSubmatch(readme, -1) {
		var c console
		for line := range strings.Lines(m[1]) {
			c.commands = append(c.commands, strings.TrimSpace(strings.TrimPrefix(line, "$ ")))
		}
		c.output = m[2]
		all = append(all, c)
	}
	return all
}

// volatile is what differs between two runs of a command: times, and how many other
// schedules the workers had begun.
var volatile = regexp.MustCompile(`\b\d+(\.\d+)?s\b|\b\d+ schedules?\b`)

func stable(output string) string {
	return volatile.ReplaceAllString(output, "…")
}

// TestReadme runs those commands of README.md whose output is shown, and the replays,
// and checks that the flags of the others exist.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "README.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := consoles(string(data))
	if len(all) == 0 {
		t.Fatal("README.md has no examples")
	}
	for _, c := range all {
		for _, command := range c.commands {
			if args, ok := strings.CutPrefix(command, goTest); ok {
				if err := checkGoTest(strings.Fields(args)); err != nil {
					t.Errorf("%s: %v", command, err)
				}
			}
		}
	}
	t.Chdir(exampleModule(t, root))
	ran := 0
	for _, c := range all {
		for _, command := range c.commands {
			args, ok := cooprunArgs(command)
			if !ok {
				// cmd/coopvet checks its own.
				if !strings.Contains(command, "coopvet") && !strings.HasPrefix(command, goTest) && !slices.Contains([]string{"go test ./...", "go install ./cmd/cooprun"}, command) {
					t.Errorf("%s: a command that nobody checks", command)
				}
				continue
			}
			if c.output == "" && !slices.Contains(args, "-replay") {
				if _, err := parseFlags(args, os.Environ(), io.Discard); err != nil {
					t.Errorf("%s: %v", command, err)
				}
				continue
			}
			ran++
			var out bytes.Buffer
			if err := Run(t.Context(), args, os.Environ(), &out, t.Output()); err != errFinding {
				t.Fatalf("%s: error %v, want a finding\n%s", command, err, &out)
			}
			if c.output == "" || stable(c.output) == stable(out.String()) {
				continue
			}
			if !*updateReadme {
				t.Errorf("%s prints\n%s\nand not what README.md says; run go test ./cmd/cooprun -run TestReadme -update", command, &out)
				continue
			}
			data = bytes.Replace(data, []byte(c.output), out.Bytes(), 1)
		}
	}
	if ran < 3 {
		t.Errorf("%d commands were run; want the first one and the replays", ran)
	}
	if *updateReadme {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// goTest begins the commands that measure what README.md publishes.
const goTest = "go test ./cmd/cooprun "

// cooprunArgs returns the arguments of a command that runs cooprun.
func cooprunArgs(command string) ([]string, bool) {
	for _, prefix := range []string{"go run ./cmd/cooprun ", "cooprun "} {
		if args, ok := strings.CutPrefix(command, prefix); ok {
			return strings.Fields(args), true
		}
	}
	return nil, false
}

// exampleModule returns a directory with a copy of the README's example under its own
// path, so that failing schedules are not saved in the repository.
func exampleModule(t *testing.T, root string) string {
	t.Helper()
	const example = "testdata/corpus/buggy/mutex/transfer"
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, example), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"transfer.go", "transfer_test.go"} {
		data, err := os.ReadFile(filepath.Join(root, example, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, example, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module github.com/coopvet/coop\n\ngo 1.25.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}
