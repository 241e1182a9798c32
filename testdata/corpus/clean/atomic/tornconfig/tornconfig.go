// Package tornconfig loads the atomic.Value once and uses both parts.
package tornconfig

import "sync/atomic"

type config struct{ host, port string }

// A Client can be configured at any time.
type Client struct{ config atomic.Value }

// Configure sets host and port.
func (c *Client) Configure(host, port string) { c.config.Store(config{host, port}) }

// Addr returns host and port of one configuration.
func (c *Client) Addr() string {
	current := c.config.Load().(config)
	return current.host + ":" + current.port
}
