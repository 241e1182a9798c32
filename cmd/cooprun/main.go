package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(exitCode(err, os.Stderr))
}

// Run is the command: args without the program's name, env as os.Environ returns it.
// Its error determines the exit code.
func Run(ctx context.Context, args, env []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "doctor" {
		return doctor(ctx, args[1:], env, stdout)
	}
	cfg, err := parseFlags(args, env, stderr)
	if err != nil {
		return err
	}
	if cfg.explain {
		return explain(ctx, cfg, stdout)
	}
	if cfg.compare != "" {
		return compare(ctx, cfg, newHandler(cfg, stdout))
	}
	return explore(ctx, cfg, newHandler(cfg, stdout))
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

// errHelp says that help was asked for and printed.
var errHelp = errors.New("help")

// exitCode prints err, unless that was done, and returns the exit code.
func exitCode(err error, stderr io.Writer) int {
	var exit *exitError
	switch {
	case err == nil, errors.Is(err, errHelp):
		return 0
	case !errors.As(err, &exit):
		exit = &exitError{codeInternal, fmt.Errorf("internal error: %w", err)}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "cooprun: %v\n", exit.err)
	}
	return exit.code
}
