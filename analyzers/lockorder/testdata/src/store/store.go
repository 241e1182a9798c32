package store // want package:`store.*`

import "sync"

var (
	Config sync.Mutex
	Data   sync.Mutex
)

func Load() { // want Load:"store.*"
	Config.Lock()
	defer Config.Unlock()
	Data.Lock()
	defer Data.Unlock()
}

func Touch() { // want Touch:"store.Config"
	Config.Lock()
	defer Config.Unlock()
}
