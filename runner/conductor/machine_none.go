//go:build !coop

package conductor

import "unsafe"

// Without the patched runtime the package compiles, for its documentation, vet and the
// tests of its pure parts, but cannot run a trial.

var inside bool
var calls uint32
var rests uint32
var drawn bool

//lint:ignore U1000 the patched runtime reads it
var random uint64
var forked bool

const unpatched = "coop: this binary was not built by cooprun"

func enable(func(kind uint8, obj, arg unsafe.Pointer, n int, fp unsafe.Pointer)) { panic(unpatched) }
func setChooser(func(n int) int)                                                 { panic(unpatched) }
func begin(func(), uint32, uint64, int64, int64) unsafe.Pointer                  { panic(unpatched) }
func setStacks(callers, main []uintptr, starter uintptr)                         { panic(unpatched) }
func setWaits(func(uint32) uint8)                                                { panic(unpatched) }
func end()                                                                       { panic(unpatched) }
func run(unsafe.Pointer) uint32                                                  { panic(unpatched) }
func switchTo(unsafe.Pointer)                                                    { panic(unpatched) }
func yield()                                                                     { panic(unpatched) }
func drain([]unsafe.Pointer, []uint32) int                                       { panic(unpatched) }
func heldGs() *uintptr                                                           { panic(unpatched) }
func release(unsafe.Pointer)                                                     { panic(unpatched) }
func holder(uintptr) unsafe.Pointer                                              { panic(unpatched) }
func callers(unsafe.Pointer, []uintptr) int                                      { panic(unpatched) }
func self() unsafe.Pointer                                                       { panic(unpatched) }
func setNumber(unsafe.Pointer, uint32)                                           { panic(unpatched) }
func info(unsafe.Pointer) (gopc, startpc uintptr, id uint64, wait string)        { panic(unpatched) }
func pollNet() bool                                                              { panic(unpatched) }
func netWaiters() uint32                                                         { panic(unpatched) }
func inSyscall() int32                                                           { panic(unpatched) }
func heapBytes() uint64                                                          { panic(unpatched) }
func clock() (now, next int64)                                                   { panic(unpatched) }
func advance(int64)                                                              { panic(unpatched) }
func nanotime() int64                                                            { panic(unpatched) }
func setMain(func(main func()))                                                  { panic(unpatched) }
func selectChans(unsafe.Pointer, int, []uintptr) int                             { panic(unpatched) }
func syncEnabled(uint8, uintptr) bool                                            { panic(unpatched) }
func clearPools()                                                                { panic(unpatched) }
func findObject(addr uintptr) (base, size uintptr, scan bool)                    { panic(unpatched) }
func dataAreas(f func(lo, hi uintptr))                                           { panic(unpatched) }
func goroutines(f func(g unsafe.Pointer, alive bool))                            { panic(unpatched) }
func stackWords(g unsafe.Pointer, words []uintptr) (live, all int)               { panic(unpatched) }
func finalizers(bounds []uintptr) int                                            { panic(unpatched) }
func procs(f func(p, lo, hi uintptr))                                            { panic(unpatched) }
func setTracing(on bool)                                                         { panic(unpatched) }
func setNative(procs int)                                                        { panic(unpatched) }
func setNoise(func(uint8))                                                       { panic(unpatched) }
func stackDepth(fp unsafe.Pointer) uintptr                                       { panic(unpatched) }
