// Package lazyinit creates its instance at the first use without a lock.
//
// Expect: race|fail
package lazyinit

// A Config is loaded once.
type Config struct{ name string }

// A Program loads its configuration at the first use.
type Program struct{ config *Config }

// Config returns the one configuration.
func (p *Program) Config() *Config {
	if p.config == nil {
		p.config = &Config{"default"}
	}
	return p.config
}
