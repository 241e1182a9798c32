package sched

import (
	"fmt"
	"slices"
)

// BuildID combines what the instrumented packages of a binary have registered into
// Hello.Build. Parent and worker compute it independently: if the build lost one of
// the instrumented packages, as go test -cover does, they disagree. The order of the
// registrations does not matter. FNV-1a, 64 bits.
func BuildID(registered []string) string {
	h := uint64(0xcbf29ce484222325)
	for _, s := range slices.Sorted(slices.Values(registered)) {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint64(s[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3 // ends the string: 0xff is not in UTF-8
	}
	return fmt.Sprintf("%016x", h)
}
