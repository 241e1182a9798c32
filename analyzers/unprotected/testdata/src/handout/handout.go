package handout

import (
	"maps"
	"sync"
	"sync/atomic"
)

type route struct{ host string }

type Router struct {
	current atomic.Pointer[route]
	pool    sync.Pool
	mu      sync.RWMutex
	hosts   map[string]int
	fixed   map[string]int
	routes  chan *route
}

func New() *Router { return &Router{fixed: map[string]int{"a": 1}} }

func (r *Router) set(host string) {
	n := new(route)
	r.current.Store(n)
	n.host = host // want `route.host is written after other goroutines can see it`
}

func (r *Router) setComplete(host string) {
	n := new(route)
	n.host = host
	r.current.Store(n)
}

func (r *Router) send(host string) {
	n := &route{}
	r.routes <- n
	n.host = host // want `route.host is written after other goroutines can see it`
}

func (r *Router) sendEach(hosts []string) {
	for _, h := range hosts {
		n := &route{}
		n.host = h
		r.routes <- n
	}
}

type buffer [16]byte

func (r *Router) upper(name string) []byte {
	b := r.pool.Get().(*buffer)
	defer r.pool.Put(b)
	copy(b[:], name)
	return b[:len(name)] // want `memory is returned that belongs to an object that is back in its pool, where others get it`
}

func (r *Router) upperString(name string) string {
	b := r.pool.Get().(*buffer)
	defer r.pool.Put(b)
	copy(b[:], name)
	return string(b[:len(name)])
}

func (r *Router) Add(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts[host]++
}

func (r *Router) Hosts() map[string]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.hosts // want `the map r.hosts is returned itself, for use without r.mu, which is held where it is changed`
}

func (r *Router) Copy() map[string]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.hosts)
}

// Nobody changes it.
func (r *Router) Fixed() map[string]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.fixed
}

type parcel struct {
	size, weight, sent int
	mu                 sync.Mutex
	label              string
}

func unpack(parcels chan *parcel) {
	for p := range parcels {
		p.size = 0
		p.mu.Lock()
		p.label = ""
		p.mu.Unlock()
	}
}

func sendParcel(parcels chan *parcel, done chan bool) (n int) {
	p := &parcel{size: 1}
	n = p.size
	parcels <- p
	n += p.weight
	n += p.size // want `parcel.size is read after it has been sent to a goroutine that writes it`
	p.mu.Lock()
	n += len(p.label)
	p.mu.Unlock()
	return n
}

func sendAndWait(parcels chan *parcel, done chan bool) int {
	p := &parcel{size: 1}
	parcels <- p
	<-done
	return p.size
}
