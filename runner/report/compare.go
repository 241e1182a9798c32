package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// comparison prints the table of -compare.
func (h *Text) comparison(e Comparison) {
	h.printf("%s\n", h.paint(bold, fmt.Sprintf("%s: %d schedules, %d seeds", e.Test, e.Trials, e.Seeds)))
	h.printf("%s%-12s %13s %10s %15s %14s\n", indent, "strategy", "first failure", "not found", "partial orders", "most frequent")
	for _, s := range e.Strategies {
		mean := fmt.Sprintf("%.1f", s.Mean)
		if s.Missed == e.Seeds {
			mean = "-"
		}
		orders, top := "-", "-"
		if s.Counted > 0 {
			orders, top = fmt.Sprint(s.Distinct), percent(s.Shares[0])
		}
		h.printf("%s%-12s %13s %10d %15s %14s\n", indent, s.Strategy, mean, s.Missed, orders, top)
	}
}

// Picture draws the comparisons of a run as SVG, three diagrams for each test: the mean
// number of schedules to the first failure; distinct partial orders against schedules; and, as
// in figure 6 of the RAPOS paper, a bar for each strategy, divided by the shares of the
// partial orders. It needs no plotting library: the diagrams are rectangles and lines.
type Picture struct {
	w    io.Writer
	body strings.Builder
	top  int // where the next test begins
}

// NewPicture returns a handler that writes a picture to w at the end of the run.
func NewPicture(w io.Writer) *Picture { return &Picture{w: w} }

// Geometry, in pixels.
const (
	labelWidth = 110
	panelWidth = 300
	panelGap   = 60
	rowHeight  = 26
	headHeight = 56
	pageWidth  = 2*labelWidth + 3*panelWidth + 3*panelGap
)

// colours are told apart by those who do not see all colours, too (Okabe and Ito).
var colours = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000", "#999999"}

func colour(i int) string { return colours[i%len(colours)] }

// Handle implements Handler.
func (p *Picture) Handle(e Event) {
	switch e := e.(type) {
	case Comparison:
		p.test(&e)
	case Summary:
		fmt.Fprintf(p.w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"+
			"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n", pageWidth, max(p.top, 1), p.body.String())
	}
}

func (p *Picture) text(x, y int, anchor, format string, args ...any) {
	fmt.Fprintf(&p.body, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, html.EscapeString(fmt.Sprintf(format, args...)))
}

func (p *Picture) rect(x, y, width, height float64, fill string) {
	fmt.Fprintf(&p.body, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, fill)
}

func (p *Picture) test(e *Comparison) {
	height := rowHeight * max(len(e.Strategies), 6)
	top := p.top + headHeight
	p.text(10, p.top+22, "start", "%s %s", e.Package, e.Test)
	left := labelWidth
	p.text(left, p.top+44, "start", "schedules to the first failure, mean of %d seeds (log)", e.Seeds)
	p.failures(e, left, top)
	left += panelWidth + panelGap
	p.text(left, p.top+44, "start", "distinct partial orders in %d schedules", e.Trials)
	p.curves(e, left, top, height)
	left += panelWidth + panelGap + labelWidth
	p.text(left, p.top+44, "start", "relative probability of each partial order")
	p.shares(e, left, top)
	p.top = top + height + 24
}

// failures draws bars of logarithmic length.
func (p *Picture) failures(e *Comparison, left, top int) {
	scale := panelWidth / math.Log(float64(e.Trials)+1)
	for i, s := range e.Strategies {
		y := top + i*rowHeight
		p.text(left-6, y+16, "end", "%s", s.Strategy)
		length := scale * math.Log(s.Mean+1)
		p.rect(float64(left), float64(y+3), length, rowHeight-8, colour(i))
		label := fmt.Sprintf("%.1f", s.Mean)
		switch {
		case s.Missed == e.Seeds:
			label = "not found"
		case s.Missed > 0:
			label += fmt.Sprintf(", %d not found", s.Missed)
		}
		p.text(left+4, y+16, "start", "%s", label)
	}
}

// curves draws a line for each strategy.
func (p *Picture) curves(e *Comparison, left, top, height int) {
	most := 1
	for _, s := range e.Strategies {
		most = max(most, s.Distinct)
	}
	fmt.Fprintf(&p.body, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n", left, top, top+height, left+panelWidth)
	p.text(left-4, top+10, "end", "%d", most)
	p.text(left+panelWidth, top+height+14, "end", "%d", e.Trials)
	for i, s := range e.Strategies {
		if len(s.Curve) == 0 {
			continue
		}
		fmt.Fprintf(&p.body, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%d,%d", colour(i), left, top+height)
		for j, n := range s.Curve {
			x := float64(left) + panelWidth*float64(j+1)/float64(len(s.Curve))
			y := float64(top+height) - float64(height)*float64(n)/float64(most)
			fmt.Fprintf(&p.body, " %.1f,%.1f", x, y)
		}
		p.body.WriteString("\"/>\n")
	}
}

// shares draws a bar for each strategy: a segment for each partial order, the most
// frequent one first, in alternating shades; those that are not listed are grey.
func (p *Picture) shares(e *Comparison, left, top int) {
	for i, s := range e.Strategies {
		y := float64(top + i*rowHeight)
		p.text(left-6, int(y)+16, "end", "%s", s.Strategy)
		x := float64(left)
		for j, share := range s.Shares {
			shade := colour(i)
			if j%2 == 1 {
				shade += "88" // transparency
			}
			p.rect(x, y+3, panelWidth*share, rowHeight-8, shade)
			x += panelWidth * share
		}
		if rest := float64(left+panelWidth) - x; s.Counted > 0 && rest > 0.01 {
			p.rect(x, y+3, rest, rowHeight-8, "#dddddd")
		}
	}
}

// Both hands events to two handlers.
type Both [2]Handler

// Handle implements Handler.
func (b Both) Handle(e Event) {
	b[0].Handle(e)
	b[1].Handle(e)
}
