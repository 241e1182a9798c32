// Package sharedvalue hands the one map of a sync.OnceValue to callers that change it.
//
// Expect: race|fail|fatal
package sharedvalue

import "sync"

// Defaults returns a function that makes the default options at its first call.
func Defaults() func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		return map[string]string{"user": "nobody"}
	})
}

// Options returns the default options, but with the given user.
func Options(defaults func() map[string]string, user string) map[string]string {
	options := defaults()
	options["user"] = user
	return options
}
