// This file reads the clock once for a request.

package compile

import "time"

// Clock is the time of a request. The zero Clock reads it at the first call of Now.
type Clock struct{ now time.Time }

// Now is the time of the request. All parts of a request see the same time.
func (c *Clock) Now() time.Time {
	if c.now.IsZero() {
		c.now = time.Now()
	}
	return c.now
}

// WasRead reports whether a part of the request depends on the time.
func (c *Clock) WasRead() bool { return !c.now.IsZero() }
