// Package main gives to a library function what leads to more memory only later.
package main

import (
	"encoding/json"
	"sync"
)

type node struct {
	Next *node
	N    int
}

var (
	mu     sync.Mutex
	head   node
	silent node
)

func show() {
	mu.Lock()
	mu.Unlock()
	json.Marshal(&head)
}

func attach() {
	head.Next = &node{}
	silent.Next = &node{}
}

func count() {
	mu.Lock()
	defer mu.Unlock()
	head.Next.N++   // want unprotected
	silent.Next.N++ // want locked, unprotected
}

func main() {
	go show()
	attach()
	go count()
	count()
}
