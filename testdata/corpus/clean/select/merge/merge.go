// Package merge sets the variable of a closed channel to nil, which is never selected.
package merge

// Merge collects what both channels carry until they are closed.
func Merge(a, b <-chan int) []int {
	var all []int
	for a != nil || b != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			all = append(all, v)
		case v, ok := <-b:
			if !ok {
				b = nil
				continue
			}
			all = append(all, v)
		}
	}
	return all
}
