package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// GoplsVariable names the environment variable that says where gopls is, for those who put
// coopvet in its place.
const GoplsVariable = "COOPVET_GOPLS"

// ErrNoGopls says that gopls was not found.
var ErrNoGopls = errors.New("gopls is not installed: run \"go install golang.org/x/tools/gopls@latest\", or set " + GoplsVariable)

// stopDelay is how long gopls may take to end after an interrupt.
const stopDelay = 5 * time.Second

// Gopls runs gopls with args. If that makes it a language server on its standard input and
// output, coopvet's findings are added to what it says; else it runs as it is. The code is
// gopls's exit code.
func Gopls(ctx context.Context, cfg Config, args []string) (code int, err error) {
	cfg.fill()
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	name, err := findGopls(cfg.Env)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Stderr = cfg.Env, cfg.Log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopDelay
	if !serves(args) {
		cmd.Stdin, cmd.Stdout = cfg.In, cfg.Out
		return exitCode(cmd, cmd.Run())
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("gopls: %w", err)
	}
	failed := Proxy(ctx, cfg, Server{out, in})
	if failed != nil {
		cmd.Cancel() // it has no one to talk to; an error means that it has gone
	}
	code, err = exitCode(cmd, cmd.Wait())
	if code == 0 && err == nil {
		err = failed
	}
	return code, err
}

// exitCode returns the exit code of a command that has ended with err. As a shell does, it
// makes a code of a signal.
func exitCode(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && cmd.ProcessState == nil {
		return 0, fmt.Errorf("gopls: %w", err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// findGopls returns the executable: what the variable says, else the first in PATH or in the
// go command's own directories that is not this program under gopls's name.
func findGopls(env []string) (string, error) {
	get := func(name string) string {
		for _, v := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	if name := get(GoplsVariable); name != "" {
		if !executable(name) {
			return "", fmt.Errorf("%s=%s is no executable file", GoplsVariable, name)
		}
		return name, nil
	}
	dirs := slices.Concat(filepath.SplitList(get("PATH")), installDirs(env))
	for _, dir := range dirs {
		// As package os/exec, nothing from the current directory.
		if name := filepath.Join(dir, "gopls"); filepath.IsAbs(dir) && executable(name) && !itself(name) {
			return name, nil
		}
	}
	return "", ErrNoGopls
}

// installDirs returns where the go command installs programs.
func installDirs(env []string) []string {
	cmd := exec.Command("go", "env", "GOBIN", "GOPATH")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return nil // there is no go command
	}
	bin, path, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	dirs := []string{bin}
	for _, dir := range filepath.SplitList(path) {
		dirs = append(dirs, filepath.Join(dir, "bin"))
	}
	return dirs
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// itself tells whether name is a link to this program.
func itself(name string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// switches are the flags of gopls that take no value.
var switches = []string{"v", "verbose", "vv", "veryverbose", "rpc.trace"}

// serves tells whether gopls with args is a language server on its standard input and
// output: without a command or with "serve", unless it is to listen elsewhere or to print
// its usage.
func serves(args []string) bool {
	for i := 0; i < len(args); i++ {
		name := strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-")
		if name == args[i] || name == "" { // no flag
			if args[i] != "serve" {
				return false
			}
			continue
		}
		name, _, hasValue := strings.Cut(name, "=")
		switch {
		case slices.Contains([]string{"h", "help", "listen", "port"}, name):
			return false
		case !hasValue && !slices.Contains(switches, name):
			i++ // its value
		}
	}
	return true
}
