package lsp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServes(t *testing.T) {
	for args, want := range map[string]bool{
		"": true, "serve": true, "-remote=auto": true, "-remote auto": true, "-remote auto serve": true, "-rpc.trace": true, "-v -logfile x serve": true,
		"-mode=stdio -logfile=auto": true, "--rpc.trace -remote=auto": true,
		"version": false, "-v version": false, "check x.go": false, "-remote auto version": false, "-listen=:0": false, "serve -listen :0": false,
		"-h": false, "--help": false, "help": false, "serve -help": false, "mcp": false,
	} {
		if got := serves(strings.Fields(args)); got != want {
			t.Errorf("gopls %s: %v, want %v", args, got, want)
		}
	}
}

// script makes an executable shell script.
func script(t *testing.T, file, text string) string {
	t.Helper()
	writeFile(t, file, "#!/bin/sh\n"+text)
	if err := os.Chmod(file, 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFindGopls(t *testing.T) {
	dir := t.TempDir()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "self"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, filepath.Join(dir, "self", "gopls")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "text", "gopls"), "")
	real := script(t, filepath.Join(dir, "real", "gopls"), "")
	other := script(t, filepath.Join(dir, "other"), "")
	installed := script(t, filepath.Join(dir, "go", "bin", "gopls"), "")
	path := func(names ...string) string {
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		return "PATH=" + strings.Join(names, ":")
	}
	for _, tt := range []struct {
		name string
		env  []string
		want string
	}{
		{"in PATH, not itself", []string{path("none", "self", "text", "real")}, real},
		{"variable", []string{path("real"), GoplsVariable + "=" + other}, other},
		{"nowhere", []string{path("self")}, ""},
		{"relative", []string{"PATH=."}, ""},
	} {
		got, err := findGopls(append(tt.env, "HOME="+dir+"/nobody"))
		if got != tt.want || (tt.want == "") != errors.Is(err, ErrNoGopls) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	if got, err := findGopls([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOPATH=" + dir + "/none:" + dir + "/go"}); err != nil || got != installed {
		t.Errorf("where go installs: %q, %v", got, err)
	}
	if _, err := findGopls([]string{path("real"), GoplsVariable + "=" + dir}); err == nil || errors.Is(err, ErrNoGopls) {
		t.Errorf("a directory for gopls: %v", err)
	}
}

// Input, output, error output and exit code are gopls's own.
func TestGoplsRuns(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, script string
		args         []string
		in           string
		code         int
		out, log     string
	}{
		{"command", `echo "$@"; cat; echo oops >&2; exit 3`, []string{"check", "a b"}, "input", 3, "check a b\ninput", "oops\n"},
		{"server", `printf 'Content-Length: 4\r\n\r\nnull'; cat >/dev/null; echo oops >&2; exit 4`, nil, "", 4, "Content-Length: 4\r\n\r\nnull", "oops\n"},
		{"server that ends", `exit 5`, []string{"-remote=auto"}, "Content-Length: 4\r\n\r\nnull", 5, "", ""},
		{"signal", `kill -9 $$`, []string{"version"}, "", 128 + 9, "", ""},
		{"success", `true`, []string{"version"}, "", 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			log := new(lockedBuffer)
			gopls := script(t, filepath.Join(dir, tt.name), tt.script)
			cfg := Config{In: strings.NewReader(tt.in), Out: &out, Log: log, Env: append(os.Environ(), GoplsVariable+"="+gopls)}
			code, err := Gopls(context.Background(), cfg, tt.args)
			if code != tt.code || err != nil || out.String() != tt.out || !strings.HasSuffix(log.String(), tt.log) {
				t.Errorf("code %d, %v, output %q, log %q", code, err, out.String(), log)
			}
		})
	}
	t.Run("no protocol", func(t *testing.T) {
		gopls := script(t, filepath.Join(dir, "bad"), `echo hello; exec sleep 100`)
		cfg := Config{In: strings.NewReader(""), Out: new(bytes.Buffer), Env: append(os.Environ(), GoplsVariable+"="+gopls)}
		if code, err := Gopls(context.Background(), cfg, nil); code == 0 && err == nil {
			t.Error("no error")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		gopls := script(t, filepath.Join(dir, "slow"), `exec sleep 100`)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		cfg := Config{In: strings.NewReader(""), Out: new(bytes.Buffer), Env: append(os.Environ(), GoplsVariable+"="+gopls)}
		if code, err := Gopls(ctx, cfg, nil); code == 0 && err == nil {
			t.Error("no error")
		}
	})
}
