package report

import (
	"fmt"
	"strings"
)

// orders says in words what -stats has counted.
func (h *Text) orders(o *Orders) {
	if o.Trials == 0 {
		h.printf("%sno schedules were counted: the strategy does not control them\n", indent)
		return
	}
	h.printf("%s%s in %s; the most frequent one in %s of them\n", indent,
		count(o.Distinct, "partial order"), count(o.Trials, "schedule"), percent(o.Top))
	limit := "no limit can be given"
	if o.UnseenMax < 1 {
		limit = fmt.Sprintf("at most %s with %.0f %% confidence", percent(o.UnseenMax), 100*o.Confidence)
	}
	h.printf("%snot seen: %s of what the strategy draws (Good-Turing), %s\n", indent, percent(o.Unseen), limit)
	var chances []string
	for _, p := range o.PCT {
		chances = append(chances, fmt.Sprintf("1/%.0f", 1/p))
	}
	if len(chances) > 0 {
		h.printf("%s%s, %s: a schedule of pct finds a bug of depth 1, 2, ... with probability %s or more\n", indent,
			count(o.Tasks, "goroutine"), count(o.Choices, "choice"), strings.Join(chances, ", "))
	}
}

// percent writes a share with two significant digits.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0 || p >= 10:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 1:
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.2g %%", p)
	}
}
