package strategy

import "github.com/coopvet/coop/runner/sched"

// weights draws tasks in proportion to their weights. A change and a draw take time
// logarithmic in the number of tasks.
type weights struct {
	n   int     // capacity, a power of two
	sum []int64 // a complete tree: the weight of task id is sum[n+id], sum[i] is sum[2i]+sum[2i+1]
}

func (w *weights) reset() { clear(w.sum) }

// set changes the weight of the task id, which must not be negative.
func (w *weights) set(id sched.TaskID, weight int64) {
	if int(id) >= w.n {
		w.grow(int(id))
	}
	i := w.n + int(id)
	d := weight - w.sum[i]
	for ; i > 0; i /= 2 {
		w.sum[i] += d
	}
}

func (w *weights) grow(id int) {
	old, n := w.sum, w.n
	w.n = max(16, 2*n)
	for w.n <= id {
		w.n *= 2
	}
	w.sum = make([]int64, 2*w.n)
	for i := range n {
		if old[n+i] != 0 {
			w.set(sched.TaskID(i), old[n+i])
		}
	}
}

func (w *weights) get(id sched.TaskID) int64 {
	if int(id) >= w.n {
		return 0
	}
	return w.sum[w.n+int(id)]
}

func (w *weights) total() int64 {
	if w.n == 0 {
		return 0
	}
	return w.sum[1]
}

// draw returns a task; the total must be positive.
func (w *weights) draw(r *sched.Rand) sched.TaskID {
	// The bias is below total/2⁶⁴.
	x := int64(r.Uint64() % uint64(w.total()))
	i := 1
	for i < w.n {
		i *= 2
		if x >= w.sum[i] {
			x -= w.sum[i]
			i++
		}
	}
	return sched.TaskID(i - w.n)
}
