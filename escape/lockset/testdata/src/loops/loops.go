// Package loops has locks of which each iteration has another one.
package loops

import "sync"

func held() {}

type box struct{ mu sync.Mutex }

// hand holds the previous lock when it comes round; which one that is has no name.
func hand(list []*box) {
	for _, b := range list {
		held() // want "held: \\[\\]"
		b.mu.Lock()
		held() // want "held: \\[.*\\.mu\\]"
	}
}

func shards(list []box, i, j int) {
	list[i].mu.Lock()
	held() // want "held: \\[list\\[i\\].mu\\]"
	list[j].mu.Unlock()
	held() // want "held: \\[\\]"
	list[i].mu.Lock()
	list[i].mu.Unlock()
	held() // want "held: \\[\\]"
}

func changes(list []box) {
	i := 0
	for i < len(list) {
		held() // want "held: \\[\\]"
		list[i].mu.Lock()
		i++
	}
}
