// Package pipeline counts words in stages that hand pages on over channels: who has
// received a page owns it.
package pipeline

import (
	"sort"
	"strings"
)

// A page goes through the stages.
type page struct {
	text  string
	words []string
	count map[string]int
}

func read(texts []string) <-chan *page {
	out := make(chan *page)
	go func() {
		defer close(out)
		for _, t := range texts {
			out <- &page{text: t}
		}
	}()
	return out
}

func stage(in <-chan *page, work func(*page)) <-chan *page {
	out := make(chan *page, 1)
	go func() {
		defer close(out)
		for p := range in {
			work(p)
			out <- p
		}
	}()
	return out
}

func split(p *page) {
	p.words = strings.Fields(strings.ToLower(p.text))
	for i, w := range p.words {
		p.words[i] = strings.Trim(w, ".,;!?")
	}
}

func count(p *page) {
	p.count = make(map[string]int)
	for _, w := range p.words {
		p.count[w]++
	}
}

// Word is a word and how often it occurs.
type Word struct {
	Text  string
	Count int
}

// Count returns the words of texts, the most frequent first.
func Count(texts []string) []Word {
	total := make(map[string]int)
	for p := range stage(stage(read(texts), split), count) {
		for w, n := range p.count {
			total[w] += n
		}
	}
	var words []Word
	for w, n := range total {
		words = append(words, Word{w, n})
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := words[i], words[j]
		return a.Count > b.Count || a.Count == b.Count && a.Text < b.Text
	})
	return words
}
