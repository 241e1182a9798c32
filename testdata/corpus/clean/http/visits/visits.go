// Package visits counts atomically in its HTTP handler.
package visits

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// A Page counts its visits.
type Page struct{ visits atomic.Int64 }

// ServeHTTP writes the number of the visit.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, p.visits.Add(1))
}
