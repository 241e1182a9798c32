package strategy

import "github.com/coopvet/coop/runner/sched"

// queue is a priority queue of the enabled tasks, highest key first. A task that is not
// enabled keeps its key. Changes take time logarithmic in the number of enabled tasks.
type queue struct {
	heap  []sched.TaskID
	tasks []*sched.Task // by ID
	key   []uint64      // by ID; 0 if the task has none yet
	at    []int32       // by ID: its index in heap, -1 if it is not enabled
}

func (q *queue) reset() {
	q.heap = q.heap[:0]
	q.tasks = q.tasks[:0]
	q.key = q.key[:0]
	q.at = q.at[:0]
}

// know makes room for the task id.
func (q *queue) know(id sched.TaskID) {
	for int(id) >= len(q.key) {
		q.tasks = append(q.tasks, nil)
		q.key = append(q.key, 0)
		q.at = append(q.at, -1)
	}
}

func (q *queue) has(id sched.TaskID) bool { return id >= 0 && int(id) < len(q.at) && q.at[id] >= 0 }

// add enters t with its key.
func (q *queue) add(t *sched.Task) {
	q.know(t.ID)
	q.tasks[t.ID] = t
	q.at[t.ID] = int32(len(q.heap))
	q.heap = append(q.heap, t.ID)
	q.up(len(q.heap) - 1)
}

// remove takes the task id out.
func (q *queue) remove(id sched.TaskID) {
	i := int(q.at[id])
	last := len(q.heap) - 1
	q.at[id] = -1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i < last {
		q.put(i, moved)
		q.fix(i)
	}
}

// set changes the key of the task id, enabled or not.
func (q *queue) set(id sched.TaskID, key uint64) {
	q.know(id)
	q.key[id] = key
	if i := q.at[id]; i >= 0 {
		q.fix(int(i))
	}
}

// top returns the task with the highest key; there must be one.
func (q *queue) top() *sched.Task { return q.tasks[q.heap[0]] }

func (q *queue) fix(i int) {
	if !q.up(i) {
		q.down(i)
	}
}

func (q *queue) put(i int, id sched.TaskID) {
	q.heap[i] = id
	q.at[id] = int32(i)
}

// up moves the task at i to where it belongs if that is above.
func (q *queue) up(i int) bool {
	id := q.heap[i]
	from := i
	for i > 0 {
		parent := (i - 1) / 2
		if q.key[q.heap[parent]] >= q.key[id] {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, id)
	return i != from
}

// down moves the task at i to where it belongs if that is below.
func (q *queue) down(i int) {
	id := q.heap[i]
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.key[q.heap[child+1]] > q.key[q.heap[child]] {
			child++
		}
		if q.key[q.heap[child]] <= q.key[id] {
			break
		}
		q.put(i, q.heap[child])
		i = child
	}
	q.put(i, id)
}
