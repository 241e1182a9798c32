// Package sharedvalue gives each caller a copy of the map of a sync.OnceValue.
package sharedvalue

import (
	"maps"
	"sync"
)

// Defaults returns a function that makes the default options at its first call.
func Defaults() func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		return map[string]string{"user": "nobody"}
	})
}

// Options returns the default options, but with the given user.
func Options(defaults func() map[string]string, user string) map[string]string {
	options := maps.Clone(defaults())
	options["user"] = user
	return options
}
