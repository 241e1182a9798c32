// Package merge goes on selecting a closed channel, so that one closed input can count as both.
//
// Expect: fail
package merge

// Merge collects what both channels carry until they are closed.
func Merge(a, b <-chan int) []int {
	var all []int
	for open := 2; open > 0; {
		select {
		case v, ok := <-a:
			if !ok {
				open--
				continue
			}
			all = append(all, v)
		case v, ok := <-b:
			if !ok {
				open--
				continue
			}
			all = append(all, v)
		}
	}
	return all
}
