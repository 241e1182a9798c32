// Package strategy holds the ways of choosing a schedule, a file each.
//
// Strategies are pure: what they return depends on the trial infos and the enabled
// sets that they were shown, and on nothing else.
package strategy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// Options are the parameters of strategies; a strategy ignores those of others. A name
// may carry parameters of its own, which count more: "pct:d=3:k=100".
type Options struct {
	// Switch is a probability, in (0,1]: with which random considers a switch at a
	// scheduling point (0 stands for 1), and noise makes noise there. Parameter p.
	Switch float64
	// Depth is the depth of the bugs that pct looks for, 0 for several in turn. Parameter d.
	Depth int
	// Length is pct's k, the number of points among which it places its changes; 0 for
	// what earlier trials teach. Parameter k.
	Length int
	// Bounded makes dfs explore all schedules with at most Preemptions preemptions.
	// Parameter n.
	Bounded     bool
	Preemptions int
}

// strategies is the list of strategies that a run may name.
var strategies = []struct {
	name   string
	params string // the letters of its parameters
	doc    string
	make   func(Options) sched.Strategy // nil: runs without control
}{
	{"random", "p", "one uniform choice among the enabled tasks at every step", func(o Options) sched.Strategy { return &random{p: o.Switch} }},
	{"rapos", "", "random partial order sampling (Sen, ASE 2007)", func(Options) sched.Strategy { return &rapos{} }},
	{"pos", "", "random priorities of operations, new ones upon conflicts (Yuan et al., CAV 2018)", func(Options) sched.Strategy { return &pos{} }},
	{"pct", "dk", "random priorities of tasks, changed at d-1 random points (Burckhardt et al., ASPLOS 2010)", func(o Options) sched.Strategy { return &pct{depth: o.Depth, length: o.Length} }},
	{"urw", "", "random, by the number of operations that a task has left (Zhao et al., ASPLOS 2025)", func(Options) sched.Strategy { return newURW(new(census)) }},
	{"surw", "", "urw for the operations on one shared object, drawn for each trial", func(Options) sched.Strategy { return newSURW(new(census)) }},
	{"history", "", "what has not been chosen yet at the same places (Marques et al., PPPJ 2014)", func(Options) sched.Strategy { return &history{} }},
	{"lockstep", "", "all tasks go forward together, but for chance", func(Options) sched.Strategy { return &lockstep{} }},
	{"portfolio", "", "several of the above in turn", func(Options) sched.Strategy { return newPortfolio() }},
	{"dfs", "n", "all schedules that differ in the order of dependent operations, one of each (Abdulla et al., JACM 2017); with n, all with at most n preemptions", func(o Options) sched.Strategy { return exhaustive(o) }},
	{"noise", "p", "no control: the native scheduler, disturbed at random (ConTest)", nil},
	{"none", "", "no control: the native scheduler, as a baseline", nil},
}

// learnBlock is the number of trials that learn from each other, see sched.Learner: enough to
// learn from, and so few that every worker soon has a block of its own.
const learnBlock = 32

// Names lists the strategies in the order in which help shows them.
func Names() []string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return names
}

// Doc returns one line about the named strategy.
func Doc(name string) string {
	for _, s := range strategies {
		if s.name == name {
			return s.doc
		}
	}
	return ""
}

// ByName returns a new strategy. For "none" and "noise", which leave the schedule to the
// runtime, it returns nil; for an unknown name an error that lists the known ones.
func ByName(name string, o Options) (sched.Strategy, error) {
	base, params, _ := strings.Cut(name, ":")
	for _, s := range strategies {
		if s.name != base {
			continue
		}
		if err := o.set(params, s.params); err != nil {
			return nil, fmt.Errorf("strategy %s: %w", name, err)
		}
		if s.make == nil {
			return nil, nil
		}
		return s.make(o), nil
	}
	return nil, fmt.Errorf("unknown strategy %q; the strategies are %s", name, strings.Join(Names(), ", "))
}

// Block returns the number of trials in a block of the named strategy, see
// sched.Learner; 1 if it does not learn.
func Block(name string) int {
	s, _ := ByName(name, Options{})
	if l, ok := s.(sched.Learner); ok {
		return l.Block()
	}
	return 1
}

// Native reports whether the named strategy leaves the schedule to the Go runtime.
func Native(name string) bool {
	s, err := ByName(name, Options{})
	return s == nil && err == nil
}

// exhaustive returns a new search.
func exhaustive(o Options) sched.Strategy {
	if o.Bounded {
		return newBounded(o.Preemptions)
	}
	return newDFS()
}

// Searches reports whether the named strategy explores schedules exhaustively, see
// sched.Searcher.
func Searches(name string) bool {
	s, _ := ByName(name, Options{})
	_, ok := s.(sched.Searcher)
	return ok
}

// Noise returns the probability with which the named strategy makes noise, if it is
// noise.
func Noise(name string, o Options) (p float64, ok bool) {
	base, params, _ := strings.Cut(name, ":")
	if base != "noise" || o.set(params, "p") != nil {
		return 0, false
	}
	if o.Switch == 0 {
		o.Switch = defaultNoise
	}
	return o.Switch, true
}

// defaultNoise is the probability of the "CT 100" of ConTest's table 3.
const defaultNoise = 0.1

// set parses parameters, "d=3:k=100", of which those of the given letters are allowed.
func (o *Options) set(params, letters string) error {
	if params == "" {
		return nil
	}
	for param := range strings.SplitSeq(params, ":") {
		letter, value, _ := strings.Cut(param, "=")
		if len(letter) != 1 || !strings.Contains(letters, letter) {
			return fmt.Errorf("no parameter %q; its parameters are %q", letter, slices.Collect(strings.SplitSeq(letters, "")))
		}
		var err error
		switch letter {
		case "p":
			o.Switch, err = strconv.ParseFloat(value, 64)
			if err == nil && !(o.Switch > 0 && o.Switch <= 1) {
				err = fmt.Errorf("%s is not a probability above 0", value)
			}
		case "n":
			o.Bounded = true
			if o.Preemptions, err = strconv.Atoi(value); err == nil && o.Preemptions < 0 {
				err = fmt.Errorf("%s is negative", value)
			}
		case "d":
			o.Depth, err = positive(value)
		case "k":
			o.Length, err = positive(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func positive(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%s is not positive", s)
	}
	return n, err
}

// find returns the task of enabled, which is sorted, with the given ID, or nil.
func find(enabled []*sched.Task, id sched.TaskID) *sched.Task {
	lo, hi := 0, len(enabled)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if enabled[mid].ID < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(enabled) && enabled[lo].ID == id {
		return enabled[lo]
	}
	return nil
}
