// Package closure assigns to one captured error variable in all goroutines, so that a late success hides a failure.
//
// Expect: race|fail
package closure

import "sync"

// All runs all functions in parallel and returns an error if one fails.
func All(functions ...func() error) error {
	var err error
	var wg sync.WaitGroup
	for _, f := range functions {
		wg.Go(func() { err = f() })
	}
	wg.Wait()
	return err
}
