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
