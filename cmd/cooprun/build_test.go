package main

import "testing"

func TestDiskFull(t *testing.T) {
	full := "go: x\ngo test x: copying a to b: write b: no space left on device\n"
	if got := diskFull(full); got != "go test x: copying a to b: write b: no space left on device" {
		t.Errorf("%q", got)
	}
	if got := diskFull("x.go:3: undefined: y\n"); got != "" {
		t.Errorf("%q of a build error", got)
	}
}

func TestOutgrown(t *testing.T) {
	for _, tt := range []struct {
		release, own string
		says         bool
	}{
		{"go1.27.2", "go1.26.8", true}, {"go1.27rc1", "go1.26.8", true}, {"go1.26.9", "go1.26.8", false}, {"go1.25.5", "go1.26.8", false},
		{"go1.27.2", "go1.28-devel_abc X:aliastypeparams", false},
	} {
		if got := outgrown(tt.release, tt.own); (got != "") != tt.says {
			t.Errorf("%s by one of %s: %q", tt.release, tt.own, got)
		}
	}
}
