package syncop

// on is an operation on its receiver or first argument.
func on(k Kind) Op { return Op{Kind: k, Object: 0, Func: -1} }

// calls is an operation that calls its argument f.
func calls(k Kind, f int) Op { return Op{Kind: k, Object: -1, Func: f} }

// plain is an operation without object.
func plain(k Kind) Op { return Op{Kind: k, Object: -1, Func: -1} }

// table is keyed by package path and name: F, or T.M for a method of T or *T.
var table = map[string]map[string]Op{
	"sync": {
		"Mutex.Lock":    on(Acquire),
		"Mutex.Unlock":  on(Release),
		"Mutex.TryLock": on(TryAcquire),

		"RWMutex.Lock":     on(Acquire),
		"RWMutex.Unlock":   on(Release),
		"RWMutex.TryLock":  on(TryAcquire),
		"RWMutex.RLock":    on(AcquireRead),
		"RWMutex.RUnlock":  on(ReleaseRead),
		"RWMutex.TryRLock": on(TryAcquireRead),
		"RWMutex.RLocker":  on(RLocker),

		"Locker.Lock":   on(Acquire),
		"Locker.Unlock": on(Release),

		"NewCond":        on(NewCond),
		"Cond.Wait":      on(CondWait),
		"Cond.Signal":    on(CondSignal),
		"Cond.Broadcast": on(CondBroadcast),

		"WaitGroup.Add":  on(GroupAdd),
		"WaitGroup.Done": on(GroupDone),
		"WaitGroup.Wait": on(GroupWait),
		"WaitGroup.Go":   {Kind: Spawn, Object: 0, Func: 1},

		"Once.Do": {Kind: Once, Object: 0, Func: 1},

		"Pool.Get": on(Pool),
		"Pool.Put": on(Pool),

		"Map.Load": on(SyncMap), "Map.Store": on(SyncMap), "Map.LoadOrStore": on(SyncMap),
		"Map.LoadAndDelete": on(SyncMap), "Map.Delete": on(SyncMap), "Map.Swap": on(SyncMap),
		"Map.CompareAndSwap": on(SyncMap), "Map.CompareAndDelete": on(SyncMap), "Map.Clear": on(SyncMap),
		"Map.Range": {Kind: SyncMap, Object: 0, Func: 1},
	},
	"sync/atomic": atomics(),
	"time": {
		"AfterFunc": calls(Spawn, 1),
		"Sleep":     plain(TimeWait),
	},
	"context": {
		"AfterFunc": calls(Spawn, 1),
	},
	"os/signal": {},
	"golang.org/x/sync/errgroup": {
		"Group.Go":    {Kind: Spawn, Object: 0, Func: 1},
		"Group.TryGo": {Kind: Spawn, Object: 0, Func: 1},
		"Group.Wait":  on(GroupWait),
	},
	"net/http": {
		"Handle":                    calls(Handler, 1),
		"HandleFunc":                calls(Handler, 1),
		"ServeMux.Handle":           calls(Handler, 2),
		"ServeMux.HandleFunc":       calls(Handler, 2),
		"ListenAndServe":            calls(Handler, 1),
		"ListenAndServeTLS":         calls(Handler, 3),
		"Serve":                     calls(Handler, 1),
		"ServeTLS":                  calls(Handler, 1),
		"Server.RegisterOnShutdown": calls(Handler, 1),
	},
	"net/http/httptest": {
		"NewServer":          calls(Handler, 0),
		"NewTLSServer":       calls(Handler, 0),
		"NewUnstartedServer": calls(Handler, 0),
	},
	"net/rpc": {
		"Register":            calls(Handler, 0),
		"RegisterName":        calls(Handler, 1),
		"Server.Register":     calls(Handler, 1),
		"Server.RegisterName": calls(Handler, 2),
	},
	"expvar": {
		"Publish": calls(Handler, 1),
	},
	"runtime": {
		"SetFinalizer": calls(Handler, 1),
		"AddCleanup":   calls(Handler, 1),
		"Goexit":       plain(Exit),
	},
	"testing": {
		"T.Run": calls(Subtest, 2), "B.Run": calls(Subtest, 2), "F.Fuzz": calls(Subtest, 1),
		"T.Parallel":    on(Parallel),
		"B.RunParallel": calls(Worker, 1),
		"T.Cleanup":     calls(Later, 1), "B.Cleanup": calls(Later, 1), "F.Cleanup": calls(Later, 1),
		"TB.Cleanup": calls(Later, 1), "common.Cleanup": calls(Later, 1),
		"common.FailNow": plain(Exit), "common.Fatal": plain(Exit), "common.Fatalf": plain(Exit),
		"common.SkipNow": plain(Exit), "common.Skip": plain(Exit), "common.Skipf": plain(Exit),
		"TB.FailNow": plain(Exit), "TB.Fatal": plain(Exit), "TB.Fatalf": plain(Exit),
		"TB.SkipNow": plain(Exit), "TB.Skip": plain(Exit), "TB.Skipf": plain(Exit),
	},
	"testing/synctest": {
		"Test": calls(Subtest, 1),
		"Run":  calls(Subtest, 0),
		"Wait": plain(TimeWait),
	},
	"os":  {"Exit": plain(Exit)},
	"log": {"Fatal": plain(Exit), "Fatalf": plain(Exit), "Fatalln": plain(Exit), "Logger.Fatal": plain(Exit), "Logger.Fatalf": plain(Exit), "Logger.Fatalln": plain(Exit)},
}

// atomics lists package sync/atomic: AddInt32 and the like, and the methods of its types.
func atomics() map[string]Op {
	kinds := map[string]Kind{
		"Load": AtomicLoad, "Store": AtomicStore, "Swap": AtomicRMW, "CompareAndSwap": AtomicRMW,
		"Add": AtomicRMW, "And": AtomicRMW, "Or": AtomicRMW,
	}
	m := make(map[string]Op)
	for name, k := range kinds {
		for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
			m[name+t] = on(k)
			m[t+"."+name] = on(k)
		}
		m["Value."+name] = on(k)
		m["Bool."+name] = on(k)
	}
	return m
}
