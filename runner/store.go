package runner

import (
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// SavedDir is where schedules are kept, in the package's directory: a directory per
// test, a file per cause of failure.
const SavedDir = "testdata/coop"

// scheduleFile returns the file for s: the same cause, the same file.
func scheduleFile(dir string, s *sched.Schedule) string {
	h := fnv.New32a()
	h.Write([]byte(s.Key))
	return filepath.Join(dir, s.Test, fmt.Sprintf("%s-%08x", s.Kind, h.Sum32()))
}

// saveSchedule writes s and returns the file's name.
func saveSchedule(dir string, s *sched.Schedule) (string, error) {
	text, err := s.AppendText(nil)
	if err != nil {
		return "", err
	}
	file := scheduleFile(dir, s)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	// A reader never sees half of a file.
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tmp-*")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(text)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644) // CreateTemp makes files private
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return "", err
	}
	return file, nil
}

// savedSchedules returns the files kept for a test, sorted.
func savedSchedules(dir, test string) []string {
	entries, err := os.ReadDir(filepath.Join(dir, test))
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, test, e.Name()))
		}
	}
	slices.Sort(files)
	return files
}

func readSchedule(file string) (*sched.Schedule, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return sched.ParseSchedule(text)
}

// schedule makes the record of a traced failing trial.
func (e *explorer) schedule(test string, trial int, rec sched.TrialRecord) *sched.Schedule {
	o := e.opts
	s := &sched.Schedule{
		Test: test, Package: e.target.Package, Go: e.target.Go, Coop: o.Version, Strategy: o.Strategy, Seed: o.Seed,
		Trial: trial, TrialSeed: rec.Seed, Clock: o.Clock, MaxSteps: o.MaxSteps, Race: o.Race, Leak: o.Leak, Cold: o.Isolate,
		Kind: rec.Failure.Kind, Key: e.key(rec.Failure.Key), Message: rec.Failure.Message, Choices: rec.Choices, Turns: rec.Turns,
	}
	for _, id := range rec.Decisions {
		s.Decisions = append(s.Decisions, sched.Decision{Task: id})
	}
	for i, step := range choices(&rec) {
		d := &s.Decisions[i]
		d.Kind, _ = sched.KindByName(step.Kind)
		d.Enabled = step.Enabled
		if pos := e.resolve(step.Site); pos.File != "" {
			d.File, d.Line = pos.File, pos.Line
		}
	}
	return s
}

// choices yields the indices of rec's decisions that are traced, and their steps: those
// at which tasks were enabled. The others, such as an unlock, are part of the step before
// them.
func choices(rec *sched.TrialRecord) iter.Seq2[int, sched.Step] {
	return func(yield func(int, sched.Step) bool) {
		n := 0
		for i, step := range rec.Steps {
			if i == rec.OmittedAt {
				n += rec.Omitted
			}
			if step.Enabled == 0 {
				continue
			}
			if n >= len(rec.Decisions) || step.Task != rec.Decisions[n] || !yield(n, step) {
				return
			}
			n++
		}
	}
}

// attach adds to f how to repeat it. file is "" if the schedule was not saved.
func (e *explorer) attach(f *report.Finding, s *sched.Schedule, file string) {
	f.Token = s.Token()
	if file == "" {
		f.Replay = e.opts.Command + " -replay " + f.Token
		return
	}
	f.File = file
	f.Replay = e.opts.Command + " -replay " + shellWord(e.opts.relative(file))
}

// relative shortens a path for people who are in the working directory.
func (o *Options) relative(path string) string {
	if rel, err := filepath.Rel(o.WorkingDir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// shellWord quotes a path if a shell would split or expand it.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,=@%", r))
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
