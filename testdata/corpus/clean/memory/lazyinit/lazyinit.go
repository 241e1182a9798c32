// Package lazyinit creates its instance through a sync.Once.
package lazyinit

import "sync"

// A Config is loaded once.
type Config struct{ name string }

// A Program loads its configuration at the first use.
type Program struct {
	once   sync.Once
	config *Config
}

// Config returns the one configuration.
func (p *Program) Config() *Config {
	p.once.Do(func() { p.config = &Config{"default"} })
	return p.config
}
