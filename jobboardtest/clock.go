package jobboardtest

import (
	"sync"
	"time"
)

// clock tells the server's time.
type clock struct {
	mu    sync.Mutex
	read  func() time.Time
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read().Add(c.ahead)
}

// set makes f the clock; nil means time.Now.
func (c *clock) set(f func() time.Time) {
	if f == nil {
		f = time.Now
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.ahead = f, 0
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if sum := c.ahead + d; (sum < c.ahead) != (d < 0) { // the sum overflows a Duration
		read, ahead := c.read, c.ahead
		c.read, c.ahead = func() time.Time { return read().Add(ahead) }, 0
	}
	c.ahead += d
}
