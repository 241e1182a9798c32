package pipeline

import "testing"

func TestCount(t *testing.T) {
	words := Count([]string{
		"The lock is held; the lock is free.",
		"Who holds the lock?",
		"The channel is closed!",
		"Free the lock, close the channel.",
	})
	if w := words[0]; w != (Word{"the", 6}) {
		t.Errorf("%v is the most frequent word", w)
	}
	if w := words[1]; w != (Word{"lock", 4}) {
		t.Errorf("%v is the second", w)
	}
	total := 0
	for _, w := range words {
		total += w.Count
	}
	if total != 22 {
		t.Errorf("%d words in all", total)
	}
}
