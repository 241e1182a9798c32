package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

func TestOperand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	src := `package a

func f() {
	forks[i].Lock()
	defer a.mu.Unlock()
	results <- g(<-jobs)
	v, ok := <-r.replies
	for x := range s.queue {
	}
	close(done)
	a.Lock(); b.Lock()
	a.Lock(); a.Lock()
	build().
		cond.Wait()
	if len(c) > 0 {
	}
	x.veryLongName.veryLongName.veryLongName.veryLongName.Lock()
}
`
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var s sources
	for _, tt := range []struct {
		kind sched.Kind
		line int
		want string
	}{
		{sched.Lock, 4, "forks[i]"},
		{sched.WLock, 4, "forks[i]"},
		{sched.Unlock, 4, ""},
		{sched.Unlock, 5, "a.mu"},
		{sched.Send, 6, "results"},
		{sched.Recv, 6, "jobs"},
		{sched.Recv, 7, "r.replies"},
		{sched.Recv, 8, "s.queue"},
		{sched.Close, 10, "done"},
		{sched.Lock, 11, ""}, // which of the two?
		{sched.Lock, 12, "a"},
		{sched.CondWait, 14, "build(). cond"},
		{sched.ChanLen, 15, "c"},
		{sched.Lock, 17, ""}, // too long for a report
		{sched.Lock, 99, ""},
	} {
		if got := s.operand(tt.kind, file, tt.line); got != tt.want {
			t.Errorf("%s at line %d: %q, want %q", tt.kind, tt.line, got, tt.want)
		}
	}
	if got := s.operand(sched.Lock, "/no/such/file.go", 1); got != "" {
		t.Errorf("missing file: %q", got)
	}
}

func TestCallee(t *testing.T) {
	one := []operand{{"Error", "t"}, {"close", "c"}, {"Error", "t"}}
	if got := callee(one); got != "t.Error" {
		t.Errorf("callee is %q, want t.Error", got)
	}
	if got := callee(append(one, operand{"Get", "client"})); got != "" {
		t.Errorf("of two calls on a line, %q was made", got)
	}
}
