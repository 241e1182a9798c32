package gocount

import "testing"

func TestWords(t *testing.T) {
	if n := Words([]string{"a", "b"}, []string{"c"}); n != 3 {
		t.Errorf("%d words, want 3", n)
	}
}
