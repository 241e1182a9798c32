package runner

import (
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

func TestCauseOfDeath(t *testing.T) {
	const stack = `

goroutine 7 [running]:
panic({0x59e400?, 0x5e11b0?})
	/go/src/runtime/panic.go:860 +0x13a
example.com/a/bank.(*Account).Add(0xc0000060b8, 0x7)
	/home/u/bank/bank.go:17 +0x7e
sync.(*WaitGroup).Go.func1()
	/go/src/sync/waitgroup.go:258 +0x4a
created by sync.(*WaitGroup).Go in goroutine 8
	/go/src/sync/waitgroup.go:238 +0x73
exit status 2
`
	tests := []struct {
		name, stderr string
		code         int
		signal       string
		kind         sched.FailureKind
		message, key string
	}{
		{"panic", "log\npanic: boom 0xc00012" + stack, 2, "", sched.FailPanic, "boom 0xc00012 (in bank.(*Account).Add)", "panic boom N in bank.(*Account).Add"},
		{"testing", "panic: boom [recovered, repanicked]" + stack, 2, "", sched.FailPanic, "boom (in bank.(*Account).Add)", "panic boom in bank.(*Account).Add"},
		{"nested", "panic: one\n\tpanic: two" + stack, 2, "", sched.FailPanic, "one\n\tpanic: two (in bank.(*Account).Add)", "panic one in bank.(*Account).Add"},
		{"nil", "panic: nil pointer\n[signal SIGSEGV: addr=0x0]" + stack, 2, "", sched.FailPanic, "nil pointer (in bank.(*Account).Add)", "panic nil pointer in bank.(*Account).Add"},
		{"fatal", "fatal error: concurrent map writes" + stack, 2, "", sched.FailFatal, "concurrent map writes (in bank.(*Account).Add)", "fatal concurrent map writes in bank.(*Account).Add"},
		{"asleep", "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select (no cases)]:\n", 2, "", sched.FailDeadlock, "all goroutines are asleep - deadlock!", "fatal all goroutines are asleep - deadlock!"},
		{"no frame", "panic: boom\n\ngoroutine 7 [running]:\n", 2, "", sched.FailPanic, "boom", "panic boom"},
		{"recovered", "panic: earlier" + stack + "bye\n", 1, "", sched.FailExit, `the program exited with code 1 after printing "bye"`, `exit the program exited with code N after printing "bye"`},
		{"silent", "", 3, "", sched.FailExit, "the program called os.Exit(3)", "exit the program called os.Exit(N)"},
		{"zero", "", 0, "", sched.FailExit, "the program called os.Exit(0)", "exit the program called os.Exit(N)"},
		{"killed", "", -1, "killed", sched.FailFatal, "the process was killed by the signal killed, perhaps because the system ran out of memory", ""},
	}
	for _, tt := range tests {
		f := causeOfDeath(tt.stderr, tt.code, tt.signal, []string{"/go/src"})
		if f.Kind != tt.kind || f.Message != tt.message || tt.key != "" && f.Key != tt.key {
			t.Errorf("%s: got %s %q, key %q\nwant %s %q, key %q", tt.name, f.Kind, f.Message, f.Key, tt.kind, tt.message, tt.key)
		}
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("a", maxOutput) + "middle" + strings.Repeat("b", maxOutput)
	if c := clip(long); len(c) > maxOutput+10 || strings.Contains(c, "middle") || c[0] != 'a' || c[len(c)-1] != 'b' {
		t.Errorf("clipped to %d bytes", len(c))
	}
	if clip("short") != "short" {
		t.Error("short text is changed")
	}
}

func TestTail(t *testing.T) {
	w := tail{max: 10}
	for i := range 1000 {
		w.Write([]byte{byte('0' + i%10)})
	}
	if got := w.String(); got != "0123456789" {
		t.Errorf("tail %q", got)
	}
	w.Reset()
	w.Write([]byte("x"))
	if got := w.String(); got != "x" {
		t.Errorf("after Reset %q", got)
	}
}
