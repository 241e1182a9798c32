package golden

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

type page struct {
	bytes.Buffer
	header http.Header
	name   string
	tags   []string
}

func (p *page) library(out *strings.Builder, w io.Writer, named fmt.Stringer) {
	p.WriteString("x")
	p.Buffer.Reset()
	p.WriteString(p.name)  // reads p.name after the buffer: no probe of the buffer
	p.WriteString(title()) // title may synchronise
	_ = p.Len()
	p.header.Set("a", "b")
	_ = p.header.Get("a")
	out.WriteByte('c')
	fmt.Fprintf(out, "%d", 1)
	fmt.Fprint(&p.Buffer, 2)
	fmt.Fprint(out, named) // calls named.String first
	fmt.Fprint(w, 3)
	io.WriteString(out, "d")
	slices.Sort(p.tags)
	_ = strings.Join(p.tags, ",")
	maps.Copy(http.Header{}, p.header)
	var local strings.Builder
	local.WriteString("e")
}

func title() string { return "" }
