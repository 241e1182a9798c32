// Package collision takes random numbers for unique ones.
//
// Expect: fail
package collision

import (
	"math/rand/v2"
	"sync"
)

// Jobs are known by their numbers.
type Jobs struct{ byID sync.Map }

// Add returns the job's number.
func (j *Jobs) Add(name string) int {
	id := rand.IntN(64)
	j.byID.Store(id, name)
	return id
}

// Name returns the name of a job.
func (j *Jobs) Name(id int) string {
	name, _ := j.byID.Load(id)
	return name.(string)
}
