//go:build !coop

package sched

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// Schedule is the record of one failing trial: everything that a fresh process
// needs to repeat it, and enough about each step to say where a changed program
// leaves it.
//
// It has two forms. The text form (AppendText, ParseSchedule) is what is kept under
// testdata/coop. The token (Token, ParseToken) is one word to paste into a command
// line; it leaves out the message and the steps' positions.
type Schedule struct {
	Test      string
	Package   string // import path
	Go        string // release, e.g. "go1.26.1"
	Coop      string // version of cooprun
	Strategy  string // that found it
	Seed      uint64 // of the run
	Trial     int    // index within the run
	TrialSeed uint64 // determines the program's own random choices
	Clock     string // "idle" or "race"
	MaxSteps  int    // step budget
	Race      bool   // the race oracle was on
	Leak      bool   // the leak oracle was on
	Cold      bool   // the trial was the first of its process, see Job.Cold
	Kind      FailureKind
	Key       string
	Message   string
	Choices   []Choice
	Turns     bool // after the decisions tasks take turns, see Replay
	Decisions []Decision
}

// Decision is one choice of a schedule.
type Decision struct {
	Task    TaskID // that performed the step
	Kind    Kind   // of its operation; None if unknown
	Enabled int    // how many tasks could be chosen; 0 if unknown
	File    string // where the operation is, relative to the package; "" if unknown
	Line    int
}

// Errors that say what is wrong with a schedule as a whole. Parse errors wrap one of
// them, with the line where there is one.
var (
	ErrForeign = errors.New("not a coop schedule")
	ErrNewer   = errors.New("written by a newer version of coop")
	ErrCorrupt = errors.New("corrupt coop schedule")
)

const (
	fileMagic   = "coop schedule v"
	tokenMagic  = "coop"
	version     = 1
	maxRun      = 1 << 24 // decisions of one schedule; guards against absurd run lengths
	maxInflated = 1 << 28 // bytes of an unpacked token
)

// Tasks returns the decisions alone.
func (s *Schedule) Tasks() []TaskID {
	ids := make([]TaskID, len(s.Decisions))
	for i, d := range s.Decisions {
		ids[i] = d.Task
	}
	return ids
}

// Replay returns what repeats the schedule.
func (s *Schedule) Replay() Replay {
	return Replay{Seed: s.TrialSeed, Decisions: s.Tasks(), Choices: s.Choices, Turns: s.Turns}
}

// fields lists the header in the order of the text form: one table for both
// directions. An optional field is absent when it has its zero value.
func (s *Schedule) fields() []field {
	return []field{
		{"test", strValue{&s.Test}, false},
		{"package", strValue{&s.Package}, false},
		{"go", strValue{&s.Go}, true},
		{"coop", strValue{&s.Coop}, true},
		{"strategy", strValue{&s.Strategy}, true},
		{"seed", uintValue{&s.Seed}, true},
		{"trial", intValue{&s.Trial}, true},
		{"trialseed", uintValue{&s.TrialSeed}, false},
		{"clock", strValue{&s.Clock}, true},
		{"maxsteps", intValue{&s.MaxSteps}, true},
		{"race", boolValue{&s.Race}, true},
		{"leak", boolValue{&s.Leak}, true},
		{"cold", boolValue{&s.Cold}, true},
		{"failure", strValue{(*string)(&s.Kind)}, true},
		{"key", strValue{&s.Key}, true},
		{"message", strValue{&s.Message}, true},
		{"choices", choicesValue{&s.Choices}, true},
		{"turns", boolValue{&s.Turns}, true},
	}
}

type field struct {
	name     string
	value    value
	optional bool
}

// value is a header value that can print and parse itself.
type value interface {
	text() string
	parse(string) error
	zero() bool
}

type (
	strValue  struct{ p *string }
	uintValue struct{ p *uint64 }
	intValue  struct{ p *int }
	boolValue struct{ p *bool }
)

func (v strValue) zero() bool  { return *v.p == "" }
func (v uintValue) zero() bool { return *v.p == 0 }
func (v intValue) zero() bool  { return *v.p == 0 }
func (v boolValue) zero() bool { return !*v.p }

func (v strValue) text() string  { return quote(*v.p) }
func (v uintValue) text() string { return strconv.FormatUint(*v.p, 10) }
func (v intValue) text() string  { return strconv.Itoa(*v.p) }
func (v boolValue) text() string { return strconv.FormatBool(*v.p) }

func (v strValue) parse(s string) (err error)  { *v.p, err = unquote(s); return }
func (v uintValue) parse(s string) (err error) { *v.p, err = strconv.ParseUint(s, 10, 64); return }
func (v intValue) parse(s string) (err error)  { *v.p, err = strconv.Atoi(s); return }
func (v boolValue) parse(s string) (err error) { *v.p, err = strconv.ParseBool(s); return }

// quote leaves plain words as they are.
func quote(s string) string {
	if s == "" || s[0] == '"' || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return strconv.Quote(s)
	}
	return s
}

func unquote(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		return strconv.Unquote(s)
	}
	return s, nil
}

// AppendText appends the text form: the header line, one line per field, an empty
// line, one line per decision (task, enabled tasks, operation, position), and a last
// line with the number of decisions, so that a truncated file is recognised.
// Decisions of which only the task is known are written as runs, "task*count".
func (s *Schedule) AppendText(b []byte) ([]byte, error) {
	b = fmt.Appendf(b, "%s%d\n", fileMagic, version)
	for _, f := range s.fields() {
		if !f.optional || !f.value.zero() {
			b = fmt.Appendf(b, "%s %s\n", f.name, f.value.text())
		}
	}
	b = append(b, '\n')
	for i := 0; i < len(s.Decisions); {
		d := s.Decisions[i]
		n := 1
		if d == (Decision{Task: d.Task}) {
			for i+n < len(s.Decisions) && s.Decisions[i+n] == d {
				n++
			}
			b = fmt.Appendf(b, "%d*%d\n", d.Task, n)
		} else {
			b = fmt.Appendf(b, "%d %d %s", d.Task, d.Enabled, d.Kind)
			if d.File != "" {
				b = fmt.Appendf(b, " %s:%d", quote(d.File), d.Line)
			}
			b = append(b, '\n')
		}
		i += n
	}
	return fmt.Appendf(b, "end %d\n", len(s.Decisions)), nil
}

// ParseSchedule reads the text form.
func ParseSchedule(text []byte) (*Schedule, error) {
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	if !sc.Scan() || !strings.HasPrefix(sc.Text(), fileMagic) {
		return nil, ErrForeign
	}
	if err := checkVersion(strings.TrimPrefix(sc.Text(), fileMagic)); err != nil {
		return nil, err
	}
	line := 1
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: line %d: %s", ErrCorrupt, line, fmt.Sprintf(format, args...))
	}

	s := new(Schedule)
	header := make(map[string]field)
	for _, f := range s.fields() {
		header[f.name] = f
	}
	for {
		line++
		if !sc.Scan() {
			return nil, bad("it ends within the header")
		}
		if sc.Text() == "" {
			break
		}
		name, text, _ := strings.Cut(sc.Text(), " ")
		f, ok := header[name]
		if !ok {
			return nil, bad("unknown or repeated field %q", name)
		}
		if err := f.value.parse(text); err != nil {
			return nil, bad("field %s has the value %q", name, text)
		}
		delete(header, name)
	}
	for _, f := range s.fields() {
		if _, missing := header[f.name]; missing && !f.optional {
			return nil, bad("field %s is missing", f.name)
		}
	}
	for {
		line++
		if !sc.Scan() {
			return nil, bad("it ends after %d decisions, without an end line", len(s.Decisions))
		}
		if n, ok := strings.CutPrefix(sc.Text(), "end "); ok {
			if n != strconv.Itoa(len(s.Decisions)) {
				return nil, bad("%d decisions, but the end line says %s", len(s.Decisions), n)
			}
			return s, nil
		}
		d, n, err := parseDecision(sc.Text())
		if err != nil || len(s.Decisions)+n > maxRun {
			return nil, bad("%q is not a decision", sc.Text())
		}
		for range n {
			s.Decisions = append(s.Decisions, d)
		}
	}
}

// parseDecision reads one line and returns the decision and how often it is taken.
func parseDecision(line string) (d Decision, n int, err error) {
	if task, count, ok := strings.Cut(line, "*"); ok && !strings.Contains(task, " ") {
		id, err1 := strconv.ParseUint(task, 10, 31)
		n, err2 := strconv.ParseUint(count, 10, 31)
		return Decision{Task: TaskID(id)}, int(n), errors.Join(err1, err2)
	}
	f := strings.SplitN(line, " ", 4)
	if len(f) < 3 {
		return d, 0, io.ErrUnexpectedEOF
	}
	id, err1 := strconv.ParseUint(f[0], 10, 31)
	enabled, err2 := strconv.ParseUint(f[1], 10, 31)
	kind, ok := KindByName(f[2])
	if err := errors.Join(err1, err2); err != nil || !ok {
		return d, 0, fmt.Errorf("bad decision: %w", err)
	}
	d = Decision{Task: TaskID(id), Kind: kind, Enabled: int(enabled)}
	if len(f) == 4 {
		colon := strings.LastIndexByte(f[3], ':')
		if colon <= 0 {
			return d, 0, io.ErrUnexpectedEOF
		}
		n, err1 := strconv.ParseUint(f[3][colon+1:], 10, 31)
		file, err2 := unquote(f[3][:colon])
		if err := errors.Join(err1, err2); err != nil {
			return d, 0, err
		}
		d.File, d.Line = file, int(n)
	}
	return d, 1, nil
}

func checkVersion(s string) error {
	v, err := strconv.Atoi(s)
	switch {
	case err != nil || v < 1:
		return ErrForeign
	case v > version:
		return fmt.Errorf("%w (version %d; this one reads up to %d)", ErrNewer, v, version)
	}
	return nil
}

// tokenDictionary primes the compression of tokens with what nearly every one
// contains. It is part of version 1 of the format.
const tokenDictionary = "0*12\n1*2\n0*3\n2*4\n1*1\n0*1\n2*1\n1*2\n0*1\n3*1\n" +
	"failure exit\nfailure panic\nfailure fatal\nfailure hang\nfailure livelock\nfailure fail\nfailure leak\nfailure deadlock\nfailure race\n" +
	"clock race\nclock idle\nmaxsteps 100000\nrace true\nleak true\n\nend 1" +
	"coop schedule v1\ntest Test\npackage github.com/\ntrialseed 1"

// Token returns the compact form: "coop1-" and the base64url form of the compressed
// text, without the parts that a replay does not need, followed by its CRC-32.
func (s *Schedule) Token() string {
	c := *s
	c.Go, c.Coop, c.Strategy, c.Seed, c.Trial, c.Key, c.Message = "", "", "", 0, 0, "", ""
	c.Decisions = make([]Decision, len(s.Decisions))
	for i, d := range s.Decisions {
		c.Decisions[i].Task = d.Task
	}
	text, _ := c.AppendText(nil)
	var buf bytes.Buffer
	w, err := flate.NewWriterDict(&buf, flate.BestCompression, []byte(tokenDictionary))
	if err != nil {
		panic(err) // the level is valid
	}
	w.Write(text) // a bytes.Buffer does not fail
	w.Close()
	packed := binary.BigEndian.AppendUint32(buf.Bytes(), crc32.ChecksumIEEE(text))
	return fmt.Sprintf("%s%d-%s", tokenMagic, version, base64.RawURLEncoding.EncodeToString(packed))
}

// IsToken reports whether arg has the shape of a token, of any version, rather than
// of a file name.
func IsToken(arg string) bool {
	v, _, ok := strings.Cut(strings.TrimPrefix(arg, tokenMagic), "-")
	_, err := strconv.Atoi(v)
	return ok && err == nil && strings.HasPrefix(arg, tokenMagic)
}

// ParseToken reads what Token wrote.
func ParseToken(token string) (*Schedule, error) {
	if !IsToken(token) {
		return nil, ErrForeign
	}
	v, body, _ := strings.Cut(strings.TrimPrefix(token, tokenMagic), "-")
	if err := checkVersion(v); err != nil {
		return nil, err
	}
	packed, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || len(packed) < 4 {
		return nil, fmt.Errorf("%w: the token is not complete", ErrCorrupt)
	}
	packed, sum := packed[:len(packed)-4], binary.BigEndian.Uint32(packed[len(packed)-4:])
	r := flate.NewReaderDict(bytes.NewReader(packed), []byte(tokenDictionary))
	text, err := io.ReadAll(io.LimitReader(r, maxInflated))
	if err != nil || crc32.ChecksumIEEE(text) != sum {
		return nil, fmt.Errorf("%w: the token is damaged or not complete", ErrCorrupt)
	}
	return ParseSchedule(text)
}
