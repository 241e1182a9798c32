// Package collision takes the next number when a random number is taken.
package collision

import (
	"math/rand/v2"
	"sync"
)

// Jobs are known by their numbers.
type Jobs struct{ byID sync.Map }

// Add returns the job's number.
func (j *Jobs) Add(name string) int {
	for id := rand.IntN(64); ; id = (id + 1) % 64 {
		if _, taken := j.byID.LoadOrStore(id, name); !taken {
			return id
		}
	}
}

// Name returns the name of a job.
func (j *Jobs) Name(id int) string {
	name, _ := j.byID.Load(id)
	return name.(string)
}
