// Package tornconfig loads an atomic.Value twice and combines parts of two configurations.
//
// Expect: fail
package tornconfig

import "sync/atomic"

type config struct{ host, port string }

// A Client can be configured at any time.
type Client struct{ config atomic.Value }

// Configure sets host and port.
func (c *Client) Configure(host, port string) { c.config.Store(config{host, port}) }

// Addr returns host and port of one configuration.
func (c *Client) Addr() string {
	host := c.config.Load().(config).host
	port := c.config.Load().(config).port
	return host + ":" + port
}
