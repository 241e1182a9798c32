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
