package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consoleBlock matches an example of README.md; its submatches are the commands and the output.
var consoleBlock = regexp.MustCompile("(?m)^```console\n((?:\\$ .*\n)+)((?s:.*?))^```$")

// TestReadme checks the examples of coopvet in README.md: those whose output is shown are
// run, flags of the others exist.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	checked, ran := 0, 0
	for _, m := range consoleBlock.FindAllStringSubmatch(string(readme), -1) {
		for line := range strings.Lines(m[1]) {
			command := strings.TrimSpace(strings.TrimPrefix(line, "$ "))
			args, ok := readmeArgs(command)
			if !ok {
				continue
			}
			checked++
			if m[2] == "" {
				if _, err := parseFlags(args, io.Discard); err != nil {
					t.Errorf("%s: %v", command, err)
				}
				continue
			}
			ran++
			if code, out, errs := coopvet(t, args...); code != codeFinding || out != m[2] {
				t.Errorf("%s: code %d, prints\n%s%s\nand not what README.md says", command, code, out, errs)
			}
		}
	}
	if checked < 4 || ran < 1 {
		t.Errorf("%d commands were checked and %d run", checked, ran)
	}
	for _, m := range regexp.MustCompile("`coopvet (-[^`]*)`").FindAllStringSubmatch(string(readme), -1) {
		if _, err := parseFlags(strings.Fields(m[1]), io.Discard); err != nil {
			t.Errorf("coopvet %s: %v", m[1], err)
		}
	}
}

// readmeArgs returns the arguments of a command that runs coopvet.
func readmeArgs(command string) ([]string, bool) {
	for _, prefix := range []string{"go run ./cmd/coopvet ", "coopvet "} {
		if args, ok := strings.CutPrefix(command, prefix); ok {
			return strings.Fields(args), true
		}
	}
	return nil, false
}

// TestVettool runs the command as README.md says, as a tool of "go vet", which hands facts from
// one package to the other.
func TestVettool(t *testing.T) {
	module(t, map[string]string{
		"store/store.go": "package store\n\nimport \"sync\"\n\ntype Store struct {\n\tMu sync.Mutex\n\tn  int\n}\n\nfunc (s *Store) Get() int {\n\ts.Mu.Lock()\n\tdefer s.Mu.Unlock()\n\treturn s.n\n}\n",
		"user.go":        "package m\n\nimport \"m/store\"\n\nfunc F(s *store.Store) int {\n\ts.Mu.Lock()\n\tdefer s.Mu.Unlock()\n\treturn s.Get()\n}\n",
	})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "vet", "-vettool="+exe, ".").CombinedOutput()
	if want := "s.Mu is locked by calling Store.Get although it is held"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("error %v, output\n%s\nwant %q", err, out, want)
	}
	if out, err := exec.Command("go", "vet", "-vettool="+exe, "-doublelock=false", ".").CombinedOutput(); err != nil {
		t.Errorf("without the check: %v\n%s", err, out)
	}
}
