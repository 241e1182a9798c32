package lockorder

import "sync"

// A backend's batch is locked by all who take the other two in either order.
type backend struct {
	batch, db, reads sync.Mutex
	pending          int
}

func (b *backend) Defrag() {
	b.batch.Lock()
	defer b.batch.Unlock()
	b.db.Lock()
	defer b.db.Unlock()
	b.reads.Lock()
	defer b.reads.Unlock()
	b.pending = 0
}

func (b *backend) Commit() {
	b.batch.Lock()
	defer b.batch.Unlock()
	b.commit()
}

// Unlock ends what a call of Lock has begun.
func (b *backend) Unlock() {
	if b.pending > 100 {
		b.commit()
	}
	b.batch.Unlock()
}

func (b *backend) Lock() { b.batch.Lock() }

func (b *backend) commit() { b.begin() }

func (b *backend) begin() {
	b.reads.Lock()
	defer b.reads.Unlock()
	b.db.Lock()
	defer b.db.Unlock()
	b.pending++
}

// The same, but Commit does not lock the batch.
type hasty struct {
	batch, db, reads sync.Mutex
	pending          int
}

func (h *hasty) Defrag() {
	h.batch.Lock()
	defer h.batch.Unlock()
	h.db.Lock()
	defer h.db.Unlock()
	h.reads.Lock() // want `locks are taken in a cycle: lockorder.hasty.db → lockorder.hasty.reads → lockorder.hasty.db`
	defer h.reads.Unlock()
	h.pending = 0
}

func (h *hasty) Commit() { h.commit() }

func (h *hasty) Flush() {
	h.batch.Lock()
	defer h.batch.Unlock()
	h.commit()
}

func (h *hasty) commit() {
	h.reads.Lock()
	defer h.reads.Unlock()
	h.db.Lock()
	defer h.db.Unlock()
	h.pending++
}

// Two readers of the batch do not wait for each other.
type shared struct {
	batch     sync.RWMutex
	db, reads sync.Mutex
	pending   int
}

func (s *shared) Begin() { s.batch.RLock() }

func (s *shared) Done() {
	if s.pending > 100 {
		s.dbFirst()
	}
	s.batch.RUnlock()
}

func (s *shared) DoneReading() {
	if s.pending > 100 {
		s.readsFirst()
	}
	s.batch.RUnlock()
}

func (s *shared) dbFirst() {
	s.db.Lock()
	s.reads.Lock() // want `locks are taken in a cycle: lockorder.shared.db → lockorder.shared.reads → lockorder.shared.db`
	s.reads.Unlock()
	s.db.Unlock()
}

func (s *shared) readsFirst() {
	s.reads.Lock()
	s.db.Lock()
	s.db.Unlock()
	s.reads.Unlock()
}

// Its methods are called by other packages, too.
type Open struct {
	batch, db, reads sync.Mutex
}

func (o *Open) All() {
	o.batch.Lock()
	defer o.batch.Unlock()
	o.DBFirst()
	o.ReadsFirst()
}

func (o *Open) DBFirst() {
	o.db.Lock()
	o.reads.Lock() // want `locks are taken in a cycle: lockorder.Open.db → lockorder.Open.reads → lockorder.Open.db`
	o.reads.Unlock()
	o.db.Unlock()
}

func (o *Open) ReadsFirst() {
	o.reads.Lock()
	o.db.Lock()
	o.db.Unlock()
	o.reads.Unlock()
}

// One method is also called through a value, when nothing is locked.
type queue struct {
	batch, db, reads sync.Mutex
}

func (q *queue) all() {
	q.batch.Lock()
	defer q.batch.Unlock()
	q.dbFirst()
	q.readsFirst()
}

func (q *queue) later() func() { return q.dbFirst }

func latest() func(*queue) { return (*queue).readsFirst }

func (q *queue) dbFirst() {
	q.db.Lock()
	q.reads.Lock() // want `locks are taken in a cycle: lockorder.queue.db → lockorder.queue.reads → lockorder.queue.db`
	q.reads.Unlock()
	q.db.Unlock()
}

func (q *queue) readsFirst() {
	q.reads.Lock()
	q.db.Lock()
	q.db.Unlock()
	q.reads.Unlock()
}

// So are both here, through an interface.
type stack struct {
	batch, db, reads sync.Mutex
}

type runner interface {
	runFirst()
	runSecond()
}

func run(r runner) {
	r.runFirst()
	r.runSecond()
}

func (s *stack) all() {
	s.batch.Lock()
	defer s.batch.Unlock()
	s.runFirst()
	s.runSecond()
}

func (s *stack) runFirst() {
	s.db.Lock()
	s.reads.Lock() // want `locks are taken in a cycle: lockorder.stack.db → lockorder.stack.reads → lockorder.stack.db`
	s.reads.Unlock()
	s.db.Unlock()
}

func (s *stack) runSecond() {
	s.reads.Lock()
	s.db.Lock()
	s.db.Unlock()
	s.reads.Unlock()
}

// Nor do two callers who have the batch for reading.
type lookers struct {
	batch     sync.RWMutex
	db, reads sync.Mutex
}

func (l *lookers) DB() {
	l.batch.RLock()
	defer l.batch.RUnlock()
	l.dbFirst()
}

func (l *lookers) Reads() {
	l.batch.RLock()
	defer l.batch.RUnlock()
	l.readsFirst()
}

func (l *lookers) dbFirst() {
	l.db.Lock()
	l.reads.Lock() // want `locks are taken in a cycle: lockorder.lookers.db → lockorder.lookers.reads → lockorder.lookers.db`
	l.reads.Unlock()
	l.db.Unlock()
}

func (l *lookers) readsFirst() {
	l.reads.Lock()
	l.db.Lock()
	l.db.Unlock()
	l.reads.Unlock()
}
