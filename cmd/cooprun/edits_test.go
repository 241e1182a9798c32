package main

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestWhyIllTyped(t *testing.T) {
	syntax := packages.Error{Pos: "x.go:1:1", Msg: "undefined: x"}
	newer := packages.Error{Msg: "package requires newer Go version go1.99 (application built with go1.26)"}
	const want = "it is written for go1.99, and this cooprun was built with go1.26.8; build cooprun with go1.99"
	if got := whyIllTyped([]packages.Error{syntax, newer}, "go1.99", "go1.26.8"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := whyIllTyped([]packages.Error{syntax}, "go1.26.9", "go1.26.8"); got != "x.go:1:1: undefined: x" {
		t.Errorf("got %q, want the first error", got)
	}
	imported := packages.Error{Pos: "x.go:2:1", Msg: "could not import y"}
	if got := whyIllTyped([]packages.Error{imported}, "go1.27.2", "go1.26.8"); got != "this cooprun was built with go1.26.8; build cooprun with go1.27.2: x.go:2:1: could not import y" {
		t.Errorf("got %q", got)
	}
}
