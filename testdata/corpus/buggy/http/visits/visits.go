// Package visits changes a plain field in an HTTP handler, which the server runs in a goroutine for each connection.
//
// Expect: race|fail
package visits

import (
	"fmt"
	"net/http"
)

// A Page counts its visits.
type Page struct{ visits int }

// ServeHTTP writes the number of the visit.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.visits++
	fmt.Fprint(w, p.visits)
}
