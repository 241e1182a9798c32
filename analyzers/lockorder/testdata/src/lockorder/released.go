package lockorder

import "sync"

type conn struct{ subs sync.Mutex }

type sub struct {
	mu   sync.Mutex
	conn *conn
}

// renew is called with the lock held, and does not hold it when it takes the other.
func (s *sub) renew() {
	s.mu.Unlock()
	s.conn.subs.Lock()
	s.conn.subs.Unlock()
	s.mu.Lock()
}

func (s *sub) check() {
	s.mu.Lock()
	s.renew()
	s.mu.Unlock()
}

func (c *conn) all(s *sub) {
	c.subs.Lock()
	s.mu.Lock()
	s.mu.Unlock()
	c.subs.Unlock()
}

type table struct{ mu sync.Mutex }

type row struct {
	mu    sync.Mutex
	table *table
}

// newRow holds the lock of an object that nobody else knows.
func newRow(t *table) *row {
	r := &row{table: t}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.mu.Lock()
	t.mu.Unlock()
	return r
}

func (t *table) lockRow(r *row) {
	t.mu.Lock()
	r.mu.Lock()
	r.mu.Unlock()
	t.mu.Unlock()
}

// One wrong link gives two cycles, of which the shorter one is reported.
type three struct{ a, b, c sync.Mutex }

func (t *three) ab() {
	t.a.Lock()
	t.b.Lock() // want `locks are taken in a cycle: lockorder.three.a → lockorder.three.b → lockorder.three.a`
	t.b.Unlock()
	t.a.Unlock()
}

func (t *three) ba() {
	t.b.Lock()
	t.a.Lock()
	t.a.Unlock()
	t.b.Unlock()
}

func (t *three) bc() {
	t.b.Lock()
	t.c.Lock()
	t.c.Unlock()
	t.b.Unlock()
}

func (t *three) ca() {
	t.c.Lock()
	t.a.Lock()
	t.a.Unlock()
	t.c.Unlock()
}

type watched struct{ a, b sync.Mutex }

func (w *watched) both() {
	w.a.Lock()
	w.b.Lock()
	w.b.Unlock()
	w.a.Unlock()
}

type pipe struct{ subs sync.Mutex }

type reader struct {
	mu   sync.Mutex
	pipe *pipe
}

// renew has the lock again when it takes the other.
func (r *reader) renew() {
	r.mu.Unlock()
	r.mu.Lock()
	r.pipe.subs.Lock() // want `locks are taken in a cycle: lockorder.reader.mu → lockorder.pipe.subs → lockorder.reader.mu`
	r.pipe.subs.Unlock()
}

func (r *reader) check() {
	r.mu.Lock()
	r.renew()
	r.mu.Unlock()
}

func (p *pipe) all(r *reader) {
	p.subs.Lock()
	r.mu.Lock()
	r.mu.Unlock()
	p.subs.Unlock()
}
