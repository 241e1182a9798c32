package user // want package:`store.Data → store.Config`

import "store"

func update() {
	store.Data.Lock()
	defer store.Data.Unlock()
	store.Touch() // want `locks are taken in a cycle: store.Data → store.Config → store.Data; store.Load takes store.Data with store.Config held`
}
