package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNoGopls(t *testing.T) {
	var errs strings.Builder
	env := []string{"PATH=", "HOME=" + t.TempDir()}
	err := Run(context.Background(), env, []string{"gopls"}, strings.NewReader(""), new(strings.Builder), &errs)
	if code := exitCode(err, &errs); code != codeUsage || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "gopls is not installed") {
		t.Errorf("code %d: %s", code, errs.String())
	}
}

func TestEditorCommands(t *testing.T) {
	gopls := filepath.Join(t.TempDir(), "gopls")
	if err := os.WriteFile(gopls, []byte("#!/bin/sh\necho \"$@\"; exit 7\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("COOPVET_GOPLS", gopls)
	if code, out, errs := coopvet(t, "gopls", "version", "-json"); code != 7 || out != "version -json\n" || errs != "" {
		t.Errorf("gopls: code %d, output %q, %q", code, out, errs)
	}
	// The input is empty: an exit without shutdown.
	if code, out, errs := coopvet(t, "lsp", "--stdio"); code != 1 || out != "" || errs != "" {
		t.Errorf("lsp: code %d, output %q, %q", code, out, errs)
	}
	if code, _, errs := coopvet(t, "lsp", "x"); code != codeUsage || !strings.Contains(errs, `"x"`) {
		t.Errorf("lsp x: code %d, %q", code, errs)
	}
	if code, out, _ := coopvet(t, "help", "editors"); code != 0 || !strings.Contains(out, "## Neovim") {
		t.Errorf("help editors: code %d, %q", code, out)
	}
}

func TestArguments(t *testing.T) {
	for line, want := range map[string]string{
		"/x/coopvet ./...": "./...", "coopvet gopls -v": "gopls -v", "/x/gopls serve": "gopls serve", "coopvet-gopls": "gopls", "mygopls a": "a",
	} {
		if got := arguments(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q", line, got)
		}
	}
}
