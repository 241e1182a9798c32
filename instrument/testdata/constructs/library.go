package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"
)

type report struct {
	bytes.Buffer
	*strings.Builder
	values url.Values
	words  []string
}

func (r *report) next() string { return r.Buffer.String() + "|" }

var _ = part(func() {
	r := &report{Builder: &strings.Builder{}, values: url.Values{}, words: []string{"b", "a", "c"}}
	r.Buffer.WriteString("one")
	r.Buffer.WriteString(r.next())
	r.Buffer.WriteByte('x')
	fmt.Fprintf(&r.Buffer, "%s-%d", "two", 2)
	fmt.Fprintln(r.Builder, "three")
	io.WriteString(r.Builder, "four")
	fmt.Println(r.Buffer.Len(), r.Buffer.String(), r.Builder.String(), r.Builder.Len())
	r.values.Set("k", r.words[0])
	r.values.Add("k", "v")
	fmt.Println(r.values.Get("k"), r.values.Has("q"), r.values.Encode())
	r.values.Del("k")
	var none url.Values
	fmt.Println(none.Get("k"), len(r.values), len(maps.Clone(r.values)), maps.Clone(none) == nil)
	copied := url.Values{}
	maps.Copy(copied, url.Values{"z": {"1"}})
	sorted := slices.Clone(r.words)
	slices.Sort(sorted)
	sort.Strings(r.words)
	fmt.Println(copied, sorted, slices.Equal(sorted, r.words), slices.Max(r.words), strings.Join(r.words, ","))
	slices.SortFunc(sorted, func(a, b string) int { return strings.Compare(b, a) })
	fmt.Println(sorted, strings.Join(sorted[:1], ","))
	var b *bytes.Buffer
	fmt.Println(b.String()) // a nil buffer has a string
})
