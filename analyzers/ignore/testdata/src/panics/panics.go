package panics

func panics() {}
