//go:build coop

package conductor

import "unsafe" // also for linkname

// The patched runtime's side; see _goroot in package instrument/toolchain. A g is a
// goroutine's runtime.g; goroutines do not move, and the runtime keeps them alive.

// inside says that the conductor's own code runs on a task's stack: its operations are
// not the program's, and its random numbers not the trial's.
//
//go:linkname inside runtime.coopInside
var inside bool

// random is the state of the generator behind all that is random in a trial.
//
//go:linkname random runtime.coopRandTrial
var random uint64

// drawn says that a task has made use of random numbers: math/rand, the order of a map or
// of timers that are due at once.
//
//go:linkname drawn runtime.coopDrawn
var drawn bool

// calls counts the system calls of tasks.
//
//go:linkname calls runtime.coopCalls
var calls uint32

// rests counts how often a bubble of testing/synctest came to rest: all its goroutines were
// blocked, and one of them was woken for that.
//
//go:linkname rests runtime.coopRests
var rests uint32

//go:linkname setChooser coop/conductor.setChooser
func setChooser(f func(n int) int)

// forked says that a child process has been started.
//
//go:linkname forked runtime.coopForked
var forked bool

//go:linkname enable coop/conductor.enable
func enable(hook func(kind uint8, obj, arg unsafe.Pointer, n int, fp unsafe.Pointer))

//go:linkname begin coop/conductor.begin
func begin(f func(), base uint32, seed uint64, now, wall int64) unsafe.Pointer

//go:linkname setStacks coop/conductor.setStacks
func setStacks(callers, main []uintptr, starter uintptr)

//go:linkname setWaits coop/conductor.setWaits
func setWaits(f func(number uint32) uint8)

//go:linkname end coop/conductor.end
func end()

//go:linkname run coop/conductor.run
func run(g unsafe.Pointer) (exited uint32)

//go:linkname switchTo coop/conductor.switchTo
func switchTo(g unsafe.Pointer)

//go:linkname yield coop/conductor.yield
func yield()

//go:linkname drain coop/conductor.drain
func drain(gs []unsafe.Pointer, ids []uint32) int

//go:linkname heldGs coop/conductor.heldGs
func heldGs() *uintptr

//go:linkname release coop/conductor.release
func release(g unsafe.Pointer)

//go:linkname self coop/conductor.self
func self() unsafe.Pointer

//go:linkname holder coop/conductor.holder
func holder(addr uintptr) unsafe.Pointer

//go:linkname callers coop/conductor.callers
func callers(g unsafe.Pointer, pcs []uintptr) int

//go:linkname setNumber coop/conductor.setNumber
func setNumber(g unsafe.Pointer, n uint32)

//go:linkname info coop/conductor.info
func info(g unsafe.Pointer) (gopc, startpc uintptr, id uint64, wait string)

//go:linkname pollNet coop/conductor.pollNet
func pollNet() bool

//go:linkname netWaiters coop/conductor.netWaiters
func netWaiters() uint32

//go:linkname inSyscall coop/conductor.inSyscall
func inSyscall() int32

//go:linkname heapBytes coop/conductor.heapBytes
func heapBytes() uint64

//go:linkname clock coop/conductor.clock
func clock() (now, next int64)

//go:linkname advance coop/conductor.advance
func advance(now int64)

//go:linkname nanotime coop/conductor.nanotime
func nanotime() int64

//go:linkname setMain coop/conductor.setMain
func setMain(f func(main func()))

//go:linkname selectChans coop/conductor.selectChans
func selectChans(cases unsafe.Pointer, n int, chans []uintptr) int

//go:linkname syncEnabled coop/conductor.syncEnabled
func syncEnabled(kind uint8, obj uintptr) bool

//go:linkname clearPools coop/conductor.clearPools
func clearPools()

//go:linkname findObject coop/conductor.findObject
func findObject(addr uintptr) (base, size uintptr, scan bool)

//go:linkname dataAreas coop/conductor.dataAreas
func dataAreas(f func(lo, hi uintptr))

//go:linkname goroutines coop/conductor.goroutines
func goroutines(f func(g unsafe.Pointer, alive bool))

//go:linkname stackWords coop/conductor.stackWords
func stackWords(g unsafe.Pointer, words []uintptr) (live, all int)

//go:linkname finalizers coop/conductor.finalizers
func finalizers(bounds []uintptr) int

//go:linkname procs coop/conductor.procs
func procs(f func(p, lo, hi uintptr))

//go:linkname setTracing coop/conductor.setTracing
func setTracing(on bool)

//go:linkname setNative coop/conductor.setNative
func setNative(procs int)

//go:linkname setNoise coop/conductor.setNoise
func setNoise(f func(kind uint8))

//go:linkname stackDepth coop/conductor.stackDepth
func stackDepth(fp unsafe.Pointer) uintptr
