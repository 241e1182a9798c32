// Package tickerstop expects a range loop over a ticker's channel to end with Stop, which does not close the channel.
//
// Expect: leak
package tickerstop

import (
	"sync/atomic"
	"time"
)

// A Poller polls at regular intervals.
type Poller struct {
	ticker  *time.Ticker
	stopped atomic.Bool
	polls   atomic.Int32
}

// Start starts a poller.
func Start(interval time.Duration) *Poller {
	p := &Poller{ticker: time.NewTicker(interval)}
	go p.run()
	return p
}

func (p *Poller) run() {
	for range p.ticker.C {
		if p.stopped.Load() {
			return
		}
		p.polls.Add(1)
	}
}

// Stop ends the poller.
func (p *Poller) Stop() {
	p.stopped.Store(true)
	p.ticker.Stop()
}
