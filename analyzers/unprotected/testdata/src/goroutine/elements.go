package goroutine

import "sync"

type worker struct{ busy, stopped bool }

func (w *worker) run()  { w.busy = true } // want `worker.busy is written here and written by another goroutine`
func (w *worker) stop() { w.busy = false }

func startAndStop(n int) {
	workers := make([]worker, n)
	for i := range workers {
		go workers[i].run()
	}
	for i := range workers {
		workers[i].stop()
	}
}

type task struct{ ready, done bool }

func (t *task) run() { t.done = t.ready }

func prepareAndStart(tasks []task) {
	for i := range tasks {
		tasks[i].ready = true
		go tasks[i].run()
	}
}

type job struct{ state int }

func (j *job) run() { j.state++ }

func startAndSet(jobs []job) {
	for i := 0; i < len(jobs); i++ {
		go jobs[i].run()
		jobs[i].state = 1 // want `job.state is written here and read by another goroutine`
	}
}

type part struct{ sum int }

func (p *part) run() { p.sum++ }

// Not all of them are started.
func startSome(parts []part) {
	for i := range parts {
		if i > 0 {
			go parts[i].run()
		}
	}
	for i := range parts {
		parts[i].sum = 0
	}
}

func startAndWait(parts []part) (n int) {
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(parts[i].run)
	}
	wg.Wait()
	for i := range parts {
		n += parts[i].sum
	}
	return n
}

func fill(buf []byte, b byte) {
	for i := range buf {
		buf[i] = b // want `buf\[\] is written here and written by another goroutine`
	}
}

func fillTwice(buf []byte) {
	go fill(buf, 1)
	fill(buf, 2)
}

func fillHalves(buf []byte) {
	go fill(buf[:len(buf)/2], 1)
	fill(buf[len(buf)/2:], 2)
}

func fillFrom(buf []byte, start int) {
	for i := start; i < len(buf); i++ {
		buf[i] = 1
	}
}

func fillParts(buf []byte) {
	go fillFrom(buf, 0)
	fillFrom(buf, 10)
}

// mergeSort gives both halves the same scratch buffer.
func mergeSort(a, scratch []int) {
	if len(a) < 2 {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { mergeSort(a[:len(a)/2], scratch) })
	mergeSort(a[len(a)/2:], scratch)
	wg.Wait()
	for i := range a {
		if a[i] > 0 {
			scratch[i] = a[i] // want `scratch\[\] is written here and written by another goroutine`
		} else {
			scratch[i] = -a[i]
		}
	}
}

type lockedWorker struct {
	mu   sync.Mutex
	busy bool
}

func (w *lockedWorker) set(busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = busy
}

func (w *lockedWorker) run() { w.set(true) }

func startAndStopLocked(n int) {
	workers := make([]lockedWorker, n)
	for i := range workers {
		go workers[i].run()
	}
	for i := range workers {
		workers[i].set(false)
	}
}

func fillRest(buf []byte) {
	for i := 1; i < len(buf); i++ {
		buf[i] = 1
	}
}

func fillFirst(buf []byte) {
	for i := range 1 {
		buf[i] = 1
	}
}

func fillApart(buf []byte) {
	go fillRest(buf)
	fillFirst(buf)
}

type guarded struct {
	mu sync.Mutex
	n  int
}

func (g *guarded) inc() { g.n++ }

func (g *guarded) incLocked() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inc()
}

func incAll(all []guarded) {
	for i := range all {
		go all[i].incLocked()
	}
	for i := range all {
		all[i].mu.Lock()
		all[i].inc()
		all[i].mu.Unlock()
	}
}
