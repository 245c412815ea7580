// This file measures by how much the clock of the store differs from the one of this machine. Each response says when it
// was made. Requests are signed at the time of the store: it refuses signatures of another time.

package store

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/wire/httpfield"
)

const (
	// maxSkew is the difference of clocks above which an error names the clock as the likely reason of a
	// refused signature. S3 accepts 15 minutes.
	maxSkew = 5 * time.Minute
	// leastSkew is the difference below which signatures have the time of this machine. A Date has whole seconds, and a
	// response may be on its way for long.
	leastSkew = time.Minute
)

// clock compares the clocks.
type clock struct {
	now   func() time.Time
	known atomic.Bool
	ahead atomic.Int64 // the store's clock minus this machine's, in nanoseconds, by the last response
}

// measure reads the time of a response to a request that began then.
func (c *clock) measure(begun time.Time, h http.Header) {
	date, err := http.ParseTime(h.Get(httpfield.Date))
	if err != nil {
		return
	}
	if age, err := strconv.ParseInt(h.Get(httpfield.Age), 10, 32); err == nil && age > 0 { // a cache on the way had it
		date = date.Add(time.Duration(age) * time.Second)
	}
	middle := begun.Add(c.now().Sub(begun) / 2)
	c.ahead.Store(int64(date.Add(time.Second / 2).Sub(middle)))
	c.known.Store(true)
}

// correction is what to add to this machine's clock for signatures.
func (c *clock) correction() time.Duration {
	if ahead := time.Duration(c.ahead.Load()); ahead.Abs() > leastSkew {
		return ahead
	}
	return 0
}

// Skew is the store's clock minus this machine's, by the last response; false before the first response.
func (s *Store) Skew() (time.Duration, bool) {
	return time.Duration(s.clock.ahead.Load()), s.clock.known.Load()
}
