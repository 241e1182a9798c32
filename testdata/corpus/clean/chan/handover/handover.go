// Package handover counts a batch before it is sent and then belongs to the receiver.
package handover

// A batch of values is collected by one goroutine, and summed up and emptied by another.
type batch struct {
	values []int
	sum    int
}

// Sum returns the sum of values and how many they are.
func Sum(values []int) (sum, total int) {
	full := make(chan *batch, len(values))
	done := make(chan int)
	go summer(full, done)
	total = collect(values, full)
	return <-done, total
}

func summer(full <-chan *batch, done chan<- int) {
	sum := 0
	for b := range full {
		for _, v := range b.values {
			b.sum += v
		}
		b.values = nil
		sum += b.sum
	}
	done <- sum
}

// collect sends values in batches and returns how many it has sent.
func collect(values []int, full chan<- *batch) int {
	total := 0
	for len(values) > 0 {
		b := &batch{}
		for len(values) > 0 && len(b.values) < 2 {
			b.add(values[0])
			values = values[1:]
		}
		total += len(b.values)
		full <- b
	}
	close(full)
	return total
}

func (b *batch) add(v int) { b.values = append(b.values, v) }
