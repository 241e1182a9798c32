package sched

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// randomSchedule returns an arbitrary schedule, with strings that need quoting.
func randomSchedule(r *rand.Rand) *Schedule {
	word := func() string {
		alphabet := []rune("abcXYZ019_/.-:* \"\\\t\nä世")
		w := make([]rune, r.IntN(12))
		for i := range w {
			w[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(w)
	}
	s := &Schedule{
		Test: word(), Package: word(), Go: word(), Coop: word(), Strategy: word(), Seed: r.Uint64(), Trial: r.IntN(1e9),
		TrialSeed: r.Uint64(), Clock: word(), MaxSteps: r.IntN(1e6), Race: r.IntN(2) == 0, Leak: r.IntN(2) == 0, Turns: r.IntN(2) == 0,
		Kind: FailureKind(word()), Key: word(), Message: word(),
	}
	for range r.IntN(4) {
		s.Choices = append(s.Choices, Choice{TaskID(r.IntN(1e6)), int32(r.IntN(1 << 20)), int32(r.IntN(1 << 12))})
	}
	task := TaskID(0)
	for range r.IntN(300) {
		if r.IntN(3) == 0 {
			task = TaskID(r.IntN(5))
		}
		d := Decision{Task: task}
		if r.IntN(2) == 0 {
			d.Kind, d.Enabled = Kind(r.IntN(int(NumKinds))), r.IntN(4)
		}
		if r.IntN(3) == 0 {
			if d.File = word(); d.File != "" {
				d.Line = r.IntN(5000)
			}
		}
		s.Decisions = append(s.Decisions, d)
	}
	return s
}

func TestScheduleTextRoundTrip(t *testing.T) {
	for seed := range uint64(2000) {
		want := randomSchedule(rand.New(rand.NewPCG(seed, 0)))
		text, err := want.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSchedule(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v\n%s", seed, got, want, text)
		}
	}
}

func TestTokenRoundTrip(t *testing.T) {
	for seed := range uint64(2000) {
		s := randomSchedule(rand.New(rand.NewPCG(seed, 1)))
		token := s.Token()
		if !IsToken(token) || strings.ContainsAny(token, " \n\"'$&*/") {
			t.Fatalf("seed %d: %q is not one shell word", seed, token)
		}
		got, err := ParseToken(token)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(got.Tasks(), s.Tasks()) {
			t.Fatalf("seed %d: decisions differ", seed)
		}
		want := *s
		want.Go, want.Coop, want.Strategy, want.Seed, want.Trial, want.Key, want.Message = "", "", "", 0, 0, "", ""
		want.Decisions, got.Decisions = nil, nil
		if !reflect.DeepEqual(got, &want) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, want)
		}
	}
}

func TestTokenIsShort(t *testing.T) {
	s := &Schedule{Test: "TestTransfer", Package: "github.com/acme/bank", TrialSeed: 0x9e3779b97f4a7c15, Clock: "idle",
		MaxSteps: 100000, Race: true, Leak: true, Kind: FailRace, Key: "race bank.go:12 bank.go:14", Message: "main and 1 race"}
	for i := range 40 {
		s.Decisions = append(s.Decisions, Decision{Task: TaskID(i / 5 % 3), Kind: Lock, File: "bank.go", Line: i})
	}
	if n := len(s.Token()); n > 150 {
		t.Errorf("token of a 40-step schedule has %d characters: %s", n, s.Token())
	}
}

func TestScheduleErrors(t *testing.T) {
	s := &Schedule{Test: "TestX", Package: "p", TrialSeed: 7, Decisions: []Decision{{Task: 0}, {Task: 1, Kind: Lock, Enabled: 2, File: "a b.go", Line: 3}}}
	b, _ := s.AppendText(nil)
	text := string(b)
	tests := []struct {
		name, text string
		err        error
		says       string
	}{
		{"empty", "", ErrForeign, ""},
		{"foreign", "go test fuzz v1\nint(3)\n", ErrForeign, ""},
		{"no version", strings.Replace(text, "v1", "vx", 1), ErrForeign, ""},
		{"newer", strings.Replace(text, "v1", "v99", 1), ErrNewer, "version 99"},
		{"header cut", text[:strings.Index(text, "trialseed")], ErrCorrupt, "header"},
		{"truncated", text[:len(text)-len("end 2\n")], ErrCorrupt, "without an end line"},
		{"lost line", strings.Replace(text, "0*1\n", "", 1), ErrCorrupt, "end line says 2"},
		{"bad number", strings.Replace(text, "trialseed 7", "trialseed x", 1), ErrCorrupt, "line 4: field trialseed"},
		{"missing field", strings.Replace(text, "package p\n", "", 1), ErrCorrupt, "package is missing"},
		{"unknown field", strings.Replace(text, "package p\n", "package p\nfoo 1\n", 1), ErrCorrupt, `"foo"`},
		{"bad operation", strings.Replace(text, " lock ", " lurk ", 1), ErrCorrupt, "lurk"},
		{"negative choice", strings.Replace(text, "package p\n", "package p\nchoices 1:2:-1\n", 1), ErrCorrupt, "choices"},
		{"half a choice", strings.Replace(text, "package p\n", "package p\nchoices 1:2\n", 1), ErrCorrupt, "choices"},
		{"negative task", strings.Replace(text, "0*1", "-1*1", 1), ErrCorrupt, "-1*1"},
		{"absurd run", strings.Replace(text, "0*1", "0*2000000000", 1), ErrCorrupt, "2000000000"},
	}
	for _, tt := range tests {
		_, err := ParseSchedule([]byte(tt.text))
		if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got error %v, want %v saying %q", tt.name, err, tt.err, tt.says)
		}
	}
	if _, err := ParseSchedule([]byte(text)); err != nil {
		t.Errorf("the unharmed text: %v", err)
	}
}

func TestTokenErrors(t *testing.T) {
	token := (&Schedule{Test: "TestX", Package: "p", Decisions: []Decision{{Task: 1}, {Task: 2}}}).Token()
	flip := []byte(token)
	flip[len(flip)/2] ^= 1
	tests := []struct {
		name, token string
		err         error
	}{
		{"foreign", "hello", ErrForeign},
		{"file name", "coop-file.sched", ErrForeign},
		{"newer", "coop2" + token[len("coop1"):], ErrNewer},
		{"cut", token[:len(token)-3], ErrCorrupt},
		{"flipped", string(flip), ErrCorrupt},
		{"empty body", "coop1-", ErrCorrupt},
		{"not base64", "coop1-!!!!!!", ErrCorrupt},
	}
	for _, tt := range tests {
		if _, err := ParseToken(tt.token); !errors.Is(err, tt.err) {
			t.Errorf("%s: got error %v, want %v", tt.name, err, tt.err)
		}
	}
	if _, err := ParseToken(token); err != nil {
		t.Errorf("the unharmed token: %v", err)
	}
}

func TestChoiceWord(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := Choice{TaskID(r.IntN(1 << 30)), int32(r.IntN(1 << 20)), int32(r.IntN(1 << 12))}
		if got := ChoiceOf(c.Word()); got != c {
			t.Fatalf("%v became %v", c, got)
		}
	}
}
