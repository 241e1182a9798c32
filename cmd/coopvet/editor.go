package main

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"path/filepath"

	"github.com/coopvet/coop/cmd/coopvet/lsp"
)

// editorsHelp explains the set-up of editors.
//
//go:embed EDITORS.md
var editorsHelp string

// goplsNames are names under which the program behaves as "coopvet gopls": some editors let
// their users name another gopls, but no arguments before its own.
var goplsNames = []string{"gopls", "coopvet-gopls"}

// editor runs the subcommand "gopls" or "lsp".
func editor(ctx context.Context, env, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	cfg := lsp.Config{In: stdin, Out: stdout, Log: stderr, Env: env}
	var code int
	var err error
	if args[0] == "gopls" {
		code, err = lsp.Gopls(ctx, cfg, args[1:])
	} else {
		for _, arg := range args[1:] {
			if arg != "-stdio" && arg != "--stdio" { // some editors add it
				return usageError("lsp takes no argument %q; see \"coopvet help editors\"", arg)
			}
		}
		code, err = lsp.Serve(ctx, cfg)
	}
	switch {
	case errors.Is(err, lsp.ErrNoGopls):
		return &exitError{codeUsage, err}
	case err != nil:
		return err
	case code != 0:
		return &exitError{code: code}
	}
	return nil
}

// arguments returns the arguments for Run of a command line with the program's name.
func arguments(argv []string) []string {
	for _, name := range goplsNames {
		if filepath.Base(argv[0]) == name {
			return append([]string{"gopls"}, argv[1:]...)
		}
	}
	return argv[1:]
}
