// Package strategy holds the ways of choosing a schedule, a file each.
//
// Strategies are pure: what they return depends on the trial infos and the enabled
// sets that they were shown, and on nothing else.
package strategy

import (
	"fmt"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// Options are the parameters of strategies; a strategy ignores those of others.
type Options struct {
	// Switch is the probability, in (0,1], with which random considers a switch at a
	// scheduling point; 0 stands for 1.
	Switch float64
}

// strategies is the list of strategies that a run may name.
var strategies = []struct {
	name, doc string
	make      func(Options) sched.Strategy
}{
	{"random", "one uniform choice among the enabled tasks at every step", func(o Options) sched.Strategy { return &random{p: o.Switch} }},
	{"rapos", "random partial order sampling (Sen, ASE 2007)", func(Options) sched.Strategy { return &rapos{} }},
	{"none", "no control: the native scheduler, as a baseline", nil},
}

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

// ByName returns a new strategy. For "none", which is the absence of one, it returns
// nil; for an unknown name an error that lists the known ones.
func ByName(name string, o Options) (sched.Strategy, error) {
	for _, s := range strategies {
		switch {
		case s.name != name:
		case s.make == nil:
			return nil, nil
		default:
			return s.make(o), nil
		}
	}
	return nil, fmt.Errorf("unknown strategy %q; the strategies are %s", name, strings.Join(Names(), ", "))
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
