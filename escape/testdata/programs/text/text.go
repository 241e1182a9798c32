// Package main converts strings to bytes. The compiler leaves the copy out where the bytes
// are only read, so that several goroutines read those of one string.
package main

func sum(b []byte) (n int) {
	for _, c := range b { // want read-only
		n += int(c)
	}
	return n
}

func count(s string) int { return sum([]byte(s)) }

func upper(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] -= 32 // want unshared
	}
	return string(b)
}

func first(s string) byte {
	b := []byte(s)
	return b[0] // want read-only
}

func numbers() int {
	b := make([]byte, 3)
	p := &b
	return int((*p)[1]) // want unshared
}

func main() {
	done := make(chan int)
	s := "some text that is too long for the stack, at thirty-two bytes"
	for range 2 {
		go func() { done <- count(s) + len(upper(s)) + int(first(s)) + numbers() }()
	}
	<-done
	<-done
}
