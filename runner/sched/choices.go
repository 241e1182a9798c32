//go:build !coop

package sched

import (
	"errors"
	"fmt"
	"strings"
)

// String returns "task:step:case".
func (c Choice) String() string { return fmt.Sprintf("%d:%d:%d", c.Task, c.Step, c.Case) }

// parseChoices reads choices separated by commas.
func parseChoices(s string) (list []Choice, err error) {
	for f := range strings.SplitSeq(s, ",") {
		var c Choice
		if n, err := fmt.Sscanf(f, "%d:%d:%d", &c.Task, &c.Step, &c.Case); n != 3 || err != nil || c.String() != f {
			return nil, errors.New("not a choice")
		}
		if c.Task < 0 || c.Step < 0 || c.Case < 0 {
			return nil, errors.New("a negative choice")
		}
		list = append(list, c)
	}
	return list, nil
}

// choicesValue is the header field of a schedule's choices.
type choicesValue struct{ p *[]Choice }

func (v choicesValue) zero() bool                 { return len(*v.p) == 0 }
func (v choicesValue) parse(s string) (err error) { *v.p, err = parseChoices(s); return }
func (v choicesValue) text() string {
	var words []string
	for _, c := range *v.p {
		words = append(words, c.String())
	}
	return strings.Join(words, ",")
}
