package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

//go:embed doc.go
var docSource string

func main() {
	if isUnit(os.Args[1:]) {
		runUnit() // does not return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := Run(ctx, os.Environ(), arguments(os.Args), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(exitCode(err, os.Stderr))
}

// Run is the command: args without the program's name, env as os.Environ returns it.
// Its error determines the exit code.
func Run(ctx context.Context, env, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "help":
			return help(args[1:], stdout)
		case "gopls", "lsp":
			return editor(ctx, env, args, stdin, stdout, stderr)
		}
	}
	cfg, err := parseFlags(args, stderr)
	if err != nil {
		return err
	}
	return check(ctx, cfg, env, stdout, stderr)
}

// Exit codes.
const (
	codeFinding  = 1
	codeUsage    = 2
	codeInternal = 3
)

// An exitError carries its exit code. Errors without one are internal.
type exitError struct {
	code int
	err  error // nil: everything has been said
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is an error that the user can correct.
func usageError(format string, args ...any) error {
	return &exitError{codeUsage, fmt.Errorf(format, args...)}
}

// errFinding says that findings have been reported.
var errFinding = &exitError{code: codeFinding}

// exitCode prints err, unless that was done, and returns the exit code.
func exitCode(err error, stderr io.Writer) int {
	var exit *exitError
	var load *driver.LoadError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &exit):
	case errors.As(err, &load) && !load.Internal:
		exit = &exitError{codeUsage, err}
	case errors.Is(err, context.Canceled):
		exit = &exitError{codeUsage, errors.New("interrupted")}
	default:
		exit = &exitError{codeInternal, fmt.Errorf("internal error: %w", err)}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "coopvet: %v\n", exit.err)
	}
	return exit.code
}

// usage is the package comment.
func usage() string {
	_, text, _ := strings.Cut(docSource, "/*\n")
	text, _, _ = strings.Cut(text, "*/")
	return text
}
