// Program constructs runs every construct that has broken a source instrumenter, and
// prints what it sees. The instrumented program must print the same.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

var parts []func()

func part(f func()) bool {
	parts = append(parts, f)
	return true
}

func main() {
	for _, f := range parts {
		f()
	}
}

// line prints the number of the line that calls it.
func line(what string) {
	_, file, n, _ := runtime.Caller(1)
	fmt.Println(what, file[strings.LastIndex(file, "/")+1:], n)
}

// try prints the panic of f and the line of this program where it happened.
func try(what string, f func()) {
	defer func() {
		v := recover()
		pcs := make([]uintptr, 50)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for panicking := false; ; {
			f, more := frames.Next()
			if panicking && strings.HasPrefix(f.Function, "main.") {
				fmt.Println(what, v, f.Line)
				return
			}
			if f.Function == "runtime.gopanic" {
				panicking = true
			}
			if !more {
				fmt.Println(what, v)
				return
			}
		}
	}()
	f()
}
