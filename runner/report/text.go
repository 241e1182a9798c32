package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Text writes events for people, in the manner of go test.
type Text struct {
	w       io.Writer
	style   TextStyle
	pending []Finding // of the running test
	live    bool      // the last line is a progress line
}

// TextStyle says what the output may look like.
type TextStyle struct {
	Verbose  bool // every test, note and step
	Color    bool // ANSI colours
	Progress bool // a line that is overwritten as tests run
	Width    int  // columns; 0 means 100
}

// NewText returns a handler that writes to w.
func NewText(w io.Writer, style TextStyle) *Text {
	if style.Width == 0 {
		style.Width = 100
	}
	return &Text{w: w, style: style}
}

// ANSI sequences.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
	erase  = "\r\x1b[K"
	indent = "    "
)

func (h *Text) paint(color, s string) string {
	if !h.style.Color {
		return s
	}
	return color + s + reset
}

func (h *Text) printf(format string, args ...any) {
	if h.live {
		io.WriteString(h.w, erase)
		h.live = false
	}
	fmt.Fprintf(h.w, format, args...)
}

// Handle implements Handler.
func (h *Text) Handle(e Event) {
	switch e := e.(type) {
	case Start:
		if h.style.Verbose {
			h.printf("# %s, strategy %s, seed %d\n", e.Go, e.Strategy, e.Seed)
		}
	case Build:
		h.build(e)
	case Progress:
		h.progress(e)
	case Finding:
		h.pending = append(h.pending, e)
	case Violation:
		h.violation(&e)
	case Note:
		if e.Test == "" {
			h.printf("# %s: %s\n", e.Package, e.Text)
		} else {
			h.printf("# %s: %s\n", e.Test, e.Text)
		}
	case TestResult:
		h.test(e)
	case Comparison:
		h.comparison(e)
	case PackageResult:
		h.pkg(e)
	case Summary:
		h.summary(e)
	}
}

func (h *Text) build(e Build) {
	switch {
	case e.Error != "":
		h.printf("# %s\n%s\n", e.Package, strings.TrimRight(e.Error, "\n"))
	case h.style.Verbose:
		from := fmt.Sprintf("built in %s", seconds(e.Seconds))
		if e.Cached {
			from = "unchanged"
		}
		h.printf("# %s: %s, %d packages with %d accesses instrumented\n", e.Package, from, e.Instrumented, e.Sites)
	}
}

func (h *Text) progress(e Progress) {
	if !h.style.Progress {
		return
	}
	line := fmt.Sprintf("%s: %d/%d tests, %d schedules, %.0f/s, %d distinct", e.Package, e.TestsDone, e.Tests, e.Trials, e.PerSecond, e.Distinct)
	if e.Activity != "" {
		line += ", " + e.Activity
	}
	if len(line) >= h.style.Width {
		line = line[:h.style.Width-1]
	}
	fmt.Fprint(h.w, erase, h.paint(dim, line))
	h.live = true
}

func (h *Text) test(e TestResult) {
	took := fmt.Sprintf("(%s, %s)", count(e.Trials, "schedule"), seconds(e.Seconds))
	switch e.Status {
	case Fail:
		h.printf("%s\n", h.paint(red, fmt.Sprintf("--- FAIL: %s %s", e.Test, took)))
	case Error:
		h.printf("%s\n", h.paint(red, fmt.Sprintf("--- ERROR: %s %s", e.Test, took)))
	case Skip:
		if h.style.Verbose {
			h.printf("--- SKIP: %s %s\n", e.Test, took)
		}
	default:
		if h.style.Verbose || e.Orders != nil {
			h.printf("--- PASS: %s (%s, %d distinct, %s)\n", e.Test, count(e.Trials, "schedule"), e.Distinct, seconds(e.Seconds))
		}
	}
	if e.Search != nil && e.Status == Pass {
		h.printf("# %s: %s\n", e.Test, e.Search)
	}
	if e.Orders != nil {
		h.orders(e.Orders)
	}
	for i := range h.pending {
		h.finding(&h.pending[i])
	}
	h.pending = nil
}

func (h *Text) pkg(e PackageResult) {
	what := fmt.Sprintf("%s\t%s\t%s, %s", e.Package, seconds(e.Seconds), count(e.Tests, "test"), count(e.Trials, "schedule"))
	switch e.Status {
	case Pass:
		h.printf("%s\t%s\n", h.paint(green, "ok  "), what)
	case Fail:
		h.printf("%s\t%s\n", h.paint(red, "FAIL"), what)
	case Skip:
		h.printf("?   \t%s\t[%s]\n", e.Package, e.Reason)
	case Error:
		h.printf("%s\t%s [%s]\n", h.paint(red, "FAIL"), e.Package, e.Reason)
	}
}

func (h *Text) summary(e Summary) {
	if e.Interrupted {
		h.printf("interrupted: %s, %s, %s so far\n", count(e.Tests, "test"), count(e.Trials, "schedule"), count(e.Findings, "finding"))
	} else if e.Packages > 1 && (h.style.Verbose || e.Failed > 0) {
		h.printf("%s, %s, %s, %s in %s\n", count(e.Packages, "package"), count(e.Tests, "test"), count(e.Trials, "schedule"),
			count(e.Findings, "finding"), seconds(e.Seconds))
	}
}

// what is "1 class", "64 classes", "312 schedules with at most 2 preemptions".
func (s *Search) what() string {
	if s.Explored == 1 {
		of := strings.Replace(s.Of, "schedules", "schedule", 1)
		return "1 " + strings.Replace(of, "classes", "class", 1)
	}
	return fmt.Sprintf("%d %s", s.Explored, s.Of)
}

// String says it in a sentence.
func (s *Search) String() string {
	executions := s.Explored + s.Redundant
	what := s.what()
	if s.Complete {
		return fmt.Sprintf("explored all %s in %s", what, count(executions, "execution"))
	}
	text := fmt.Sprintf("not complete: %s explored in %s", what, count(executions, "execution"))
	if s.Open > 0 {
		text += fmt.Sprintf(", at least %d left", s.Open)
	}
	for _, u := range s.Unknown {
		text += "; " + u
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.2fs", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
