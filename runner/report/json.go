package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// SchemaVersion is the version of the JSON output. It is raised when a field is
// removed or changes its meaning; new fields and events may appear at any time.
const SchemaVersion = 1

// JSON writes one JSON object per line and event. The field "event" comes first and
// names the type; the other fields are those of the Go type:
//
//	start     Start, once; "schema" is SchemaVersion
//	build     Build, per package
//	progress  Progress, now and then
//	finding   Finding, before the result of its test
//	violation Violation, with -audit, before the result of its test
//	note      Note
//	test      TestResult, in source order
//	comparison  Comparison, with -compare instead of findings and tests
//	package   PackageResult
//	summary   Summary, once, the last line
//
// Times are in seconds, except for the virtual time of a step ("now", nanoseconds).
type JSON struct{ w io.Writer }

// NewJSON returns a handler that writes to w.
func NewJSON(w io.Writer) *JSON { return &JSON{w} }

// Handle writes one line.
func (h *JSON) Handle(e Event) {
	body, err := json.Marshal(e)
	if err != nil {
		panic(err) // events are plain data
	}
	sep := ","
	if len(body) == len("{}") {
		sep = ""
	}
	fmt.Fprintf(h.w, "{\"event\":%q%s%s\n", e.event(), sep, body[1:])
}

// Parse reads one line that a JSON handler wrote.
func Parse(line []byte) (Event, error) {
	var head struct{ Event string }
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	switch head.Event {
	case "start":
		return parse[Start](line)
	case "build":
		return parse[Build](line)
	case "progress":
		return parse[Progress](line)
	case "finding":
		return parse[Finding](line)
	case "violation":
		return parse[Violation](line)
	case "note":
		return parse[Note](line)
	case "test":
		return parse[TestResult](line)
	case "comparison":
		return parse[Comparison](line)
	case "package":
		return parse[PackageResult](line)
	case "summary":
		return parse[Summary](line)
	}
	return nil, fmt.Errorf("unknown event %q", head.Event)
}

func parse[E Event](line []byte) (Event, error) {
	var e E
	err := json.Unmarshal(line, &e)
	return e, err
}
