package sched

// PartialOrder computes the identity of the partial order (Mazurkiewicz trace) of an
// execution while it goes on: a 64-bit hash that is equal for all linearisations of one
// partial order and, but for collisions, different for different ones. It contains no
// addresses, task numbers or times, so it compares executions of different processes.
//
// Each event is hashed with its causal past: the task's previous event, which stands for
// spawn path and index, what kind of operation it is and where, and the last
// earlier events that it depends on. The events' hashes are added up, because addition
// does not care for the order of independent events. The causal past of a task grows, too,
// when another task starts or wakes it.
//
// # Dependence
//
// Events depend on each other as operations do, see Dependent: the same bytes of memory or
// the same object, and no commuting kinds. Unlike a scheduling strategy, the partial
// order also sees operations that are no scheduling points, such as unlocks: a TryLock
// before and one after them are different executions.
//
// For the last earlier events an object's uses are divided into runs of commuting ones
// (reads; additions to a wait group) and single other ones. An event depends on the
// last run that it does not belong to. Which events are in a run does not depend on the
// linearisation. Memory operations of different extent that overlap are uses of different
// objects, which look at each other's runs.
//
// # Limits
//
// What the standard library does inside of a call is not seen, nor are memory accesses
// without a probe. Executions of equal identity may end differently if the program's
// values depend on more than the order of its visible operations, for instance on
// random numbers.
//
// The zero PartialOrder is ready for Begin. Nothing is allocated once its tables have
// grown.
type PartialOrder struct {
	past   []uint64 // by task: hash of its last event with its causal past
	sum    uint64
	events int

	objects []object
	used    int // objects of this trial
	words   wordTable
	wide    []int32 // objects that are too large for words
	touched []int32 // of the event in hand
}

// object is memory of one extent, or a lock, channel, ...
type object struct {
	at, size uintptr
	run      commute // of its last uses
	last     uint64  // sum of the hashes of the events of the last run
	before   uint64  // the same of the run before it
	overlaps []int32 // other objects that share bytes with this one
	seen     int32   // number of the search that has met it last
}

// commute is a class of operations: those of one class but alone commute.
type commute uint8

const (
	fresh commute = iota // of an object: no uses yet
	alone
	reading
	adding
)

func commuting(k Kind) commute {
	switch {
	case reads[k]:
		return reading
	case k == WaitGroupAdd:
		return adding
	}
	return alone
}

// Salts tell the ways apart in which hashes are combined.
const (
	saltSpawn = 0x5eed_0001
	saltWake  = 0x5eed_0002
	saltPast  = 0x5eed_0003
)

// Begin starts a trial.
func (p *PartialOrder) Begin() {
	p.past = p.past[:0]
	p.sum, p.events, p.used = 0, 0, 0
	p.words.clear()
	p.wide = p.wide[:0]
}

// Spawn notes a new task: parent starts it as one of its children, NoTask if nobody does.
// identity is the same for it in every linearisation, for instance Task.Path.
func (p *PartialOrder) Spawn(task TaskID, identity uint64, parent TaskID) {
	past := Mix(p.pastOf(parent) ^ Mix(identity^saltSpawn))
	p.know(task)
	p.past[task] = past
}

// know makes room for task. One that nobody has spawned, such as the clock, has no past.
func (p *PartialOrder) know(task TaskID) {
	for int(task) >= len(p.past) {
		p.past = append(p.past, 0)
	}
}

// Wake notes that waker lets task go on; NoTask stands for the clock or the outside world.
func (p *PartialOrder) Wake(task, waker TaskID) {
	p.past[task] = Mix(p.past[task] ^ Mix(p.pastOf(waker)^saltWake))
}

func (p *PartialOrder) pastOf(t TaskID) uint64 {
	if t == NoTask || int(t) >= len(p.past) {
		return 0
	}
	return p.past[t]
}

// Event notes an operation of task. label tells operations apart that have the same
// past: a hash of place and kind.
func (p *PartialOrder) Event(task TaskID, label uint64, op *Op) {
	p.know(task)
	p.touch(op)
	class := commuting(op.Kind)
	dependence := uint64(0)
	for _, i := range p.touched {
		o := &p.objects[i]
		dependence += o.past(class)
		for _, j := range o.overlaps {
			dependence += p.objects[j].past(class)
		}
	}
	h := Mix(p.past[task] ^ Mix(label^Mix(dependence+saltPast)))
	for _, i := range p.touched {
		p.objects[i].use(class, h)
	}
	p.past[task] = h
	p.sum += Mix(h)
	p.events++
}

// past returns a hash of the last events that an operation of class c depends on.
func (o *object) past(c commute) uint64 {
	switch {
	case o.run == fresh:
		return 0
	case o.run == c && c != alone:
		return o.before
	}
	return Mix(o.last)
}

func (o *object) use(c commute, h uint64) {
	if o.run == c && c != alone {
		o.last += h
		return
	}
	o.before = o.past(c)
	o.run, o.last = c, h
}

// Hash returns the identity of what has happened since Begin.
func (p *PartialOrder) Hash() uint64 { return Mix(p.sum ^ Mix(uint64(p.events))) }

// touch sets touched to the objects of op.
func (p *PartialOrder) touch(op *Op) {
	p.touched = p.touched[:0]
	switch {
	case len(op.More) > 0:
		for _, channel := range op.More {
			if channel != 0 {
				p.touched = append(p.touched, p.object(channel, 0))
			}
		}
	case op.Object != 0:
		p.touched = append(p.touched, p.object(op.Object, op.Size))
	}
}

const (
	orderWord = 8              // bytes
	wideBytes = 64 * orderWord // objects that are larger are entered at their first word only
)

// object returns the index of an object, a new one at first use.
func (p *PartialOrder) object(at, size uintptr) int32 {
	slot := p.words.slot(at / orderWord)
	for n := p.words.heads[slot]; n >= 0; n = p.words.nodes[n].next {
		if o := &p.objects[p.words.nodes[n].object]; o.at == at && o.size == size {
			return p.words.nodes[n].object
		}
	}
	i := int32(p.used)
	if p.used == len(p.objects) {
		p.objects = append(p.objects, object{})
	}
	p.used++
	o := &p.objects[i]
	*o = object{at: at, size: size, overlaps: o.overlaps[:0], seen: i}
	p.findOverlaps(i)
	p.enter(i)
	return i
}

// findOverlaps lets object i and those of the others that share bytes with it know each
// other.
func (p *PartialOrder) findOverlaps(i int32) {
	o := &p.objects[i]
	if o.size > wideBytes {
		for j := range i {
			p.meet(i, j)
		}
		return
	}
	for w := o.at / orderWord; w <= o.lastWord(); w++ {
		for n := p.words.find(w); n >= 0; n = p.words.nodes[n].next {
			p.meet(i, p.words.nodes[n].object)
		}
	}
	for _, j := range p.wide {
		p.meet(i, j)
	}
}

func (p *PartialOrder) meet(i, j int32) {
	a, b := &p.objects[i], &p.objects[j]
	if b.seen == i || !overlap(a, b) {
		return
	}
	b.seen = i
	a.overlaps = append(a.overlaps, j)
	b.overlaps = append(b.overlaps, i)
}

func overlap(a, b *object) bool {
	return touch(&Op{Object: a.at, Size: a.size}, b.at, b.size)
}

func (o *object) lastWord() uintptr { return (o.at + max(o.size, 1) - 1) / orderWord }

// enter makes object i known at its words.
func (p *PartialOrder) enter(i int32) {
	o := &p.objects[i]
	first, last := o.at/orderWord, o.lastWord()
	if o.size > wideBytes {
		p.wide = append(p.wide, i)
		last = first
	}
	for w := first; w <= last; w++ {
		p.words.add(w, i)
	}
}

// wordTable lists for each word of memory the objects there: a hash table with open
// addressing, emptied by raising generation.
type wordTable struct {
	keys       []uintptr
	stamps     []uint32
	heads      []int32 // of lists of nodes; -1 for an empty one
	generation uint32
	filled     int
	nodes      []wordNode
}

type wordNode struct{ object, next int32 }

func (t *wordTable) clear() {
	t.generation++
	if t.generation == 0 { // old stamps would count again
		clear(t.stamps)
		t.generation = 1
	}
	t.filled = 0
	t.nodes = t.nodes[:0]
}

// slot returns the slot of a word, which it occupies if the word is new.
func (t *wordTable) slot(word uintptr) int {
	if 2*t.filled >= len(t.keys) {
		t.grow()
	}
	i := t.probe(word)
	if t.stamps[i] != t.generation {
		t.keys[i], t.stamps[i], t.heads[i] = word, t.generation, -1
		t.filled++
	}
	return i
}

// find returns the first node of a word, -1 if there is none.
func (t *wordTable) find(word uintptr) int32 {
	if i := t.probe(word); t.stamps[i] == t.generation {
		return t.heads[i]
	}
	return -1
}

// probe returns the slot that the word is in, or the empty one where it would be.
func (t *wordTable) probe(word uintptr) int {
	mask := len(t.keys) - 1
	i := int(Mix(uint64(word))) & mask
	for t.stamps[i] == t.generation && t.keys[i] != word {
		i = (i + 1) & mask
	}
	return i
}

func (t *wordTable) add(word uintptr, object int32) {
	i := t.slot(word)
	t.nodes = append(t.nodes, wordNode{object, t.heads[i]})
	t.heads[i] = int32(len(t.nodes) - 1)
}

func (t *wordTable) grow() {
	old := *t
	n := max(1<<10, 2*len(t.keys))
	t.keys, t.stamps, t.heads = make([]uintptr, n), make([]uint32, n), make([]int32, n)
	for i, s := range old.stamps {
		if s == t.generation {
			j := t.probe(old.keys[i])
			t.keys[j], t.stamps[j], t.heads[j] = old.keys[i], s, old.heads[i]
		}
	}
}
