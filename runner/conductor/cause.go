package conductor

import "strings"

const failedMessage = "the test failed" // where nothing more is known

// cause says in one line why a test has failed, given its log.
func cause(o *Outcome, log string) string {
	if o.Cause == "" {
		return firstLine(log, failedMessage)
	}
	line := firstLine(o.Cause, failedMessage)
	if at := failedAt(line); at != "" && line == at+":" {
		line = strings.TrimSpace(line + " " + detail(o.Cause))
	}
	return line
}

// detail returns what an entry of several lines says that begins with none of its own:
// assertion libraries such as testify print a table in which the line Error is the message.
func detail(entry string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(entry), "\n")
	for _, line := range strings.Split(rest, "\n") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "Error:"); ok {
			return strings.TrimSpace(text)
		}
	}
	return firstLine(rest, "")
}

// failedAt returns the file and line in "x_test.go:12: message"; "" if there is none.
func failedAt(message string) string {
	file, rest, ok := strings.Cut(message, ":")
	line, _, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || !strings.HasSuffix(file, ".go") {
		return ""
	}
	return file + ":" + line
}

// firstLine returns the first line of a test's log that the test itself has written.
func firstLine(output, otherwise string) string {
	for _, line := range strings.Split(output, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return otherwise
}
