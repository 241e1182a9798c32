// Package closure gives each goroutine an error variable of its own.
package closure

import (
	"errors"
	"sync"
)

// All runs all functions in parallel and returns an error if one fails.
func All(functions ...func() error) error {
	errs := make([]error, len(functions))
	var wg sync.WaitGroup
	for i, f := range functions {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
