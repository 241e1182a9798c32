package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// The patched runtime cannot import package sched; the kinds of operations that it
// announces are constants of its own, which must agree.
func TestKindsOfTheRuntime(t *testing.T) {
	kinds := map[string]sched.Kind{
		"Send": sched.Send, "Recv": sched.Recv, "Close": sched.Close, "Select": sched.Select, "SelectDefault": sched.SelectDefault,
		"Gosched": sched.Gosched, "Sleep": sched.Sleep,
		"Lock": sched.Lock, "TryLock": sched.TryLock, "Unlock": sched.Unlock,
		"RLock": sched.RLock, "TryRLock": sched.TryRLock, "RUnlock": sched.RUnlock,
		"WLock": sched.WLock, "TryWLock": sched.TryWLock, "WUnlock": sched.WUnlock,
		"WaitGroupAdd": sched.WaitGroupAdd, "WaitGroupWait": sched.WaitGroupWait,
		"CondWait": sched.CondWait, "CondSignal": sched.CondSignal, "CondBroadcast": sched.CondBroadcast,
		"OnceDo": sched.OnceDo, "PoolOp": sched.PoolOp, "MapOp": sched.MapOp,
	}
	constant := regexp.MustCompile(`(?m)^\s*coopKind(\w+)\s*=\s*(\d+)$`)
	seen := make(map[string]bool)
	for _, file := range []string{"runtime/coop_ops.go", "sync/coop.go"} {
		src, err := os.ReadFile("../../instrument/toolchain/_goroot/src/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(src), -1) {
			seen[m[1]] = true
			if n, _ := strconv.Atoi(m[2]); kinds[m[1]] != sched.Kind(n) || n == 0 {
				t.Errorf("%s: coopKind%s is %d, sched.%s is %d", file, m[1], n, m[1], kinds[m[1]])
			}
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("%d constants found, want %d", len(seen), len(kinds))
	}
}
