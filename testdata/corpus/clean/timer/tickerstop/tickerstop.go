// Package tickerstop ends the loop through a channel of its own and waits for the end.
package tickerstop

import (
	"sync/atomic"
	"time"
)

// A Poller polls at regular intervals.
type Poller struct {
	ticker     *time.Ticker
	quit, done chan struct{}
	polls      atomic.Int32
}

// Start starts a poller.
func Start(interval time.Duration) *Poller {
	p := &Poller{ticker: time.NewTicker(interval), quit: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

func (p *Poller) run() {
	defer close(p.done)
	for {
		select {
		case <-p.ticker.C:
			p.polls.Add(1)
		case <-p.quit:
			return
		}
	}
}

// Stop ends the poller.
func (p *Poller) Stop() {
	p.ticker.Stop()
	close(p.quit)
	<-p.done
}
