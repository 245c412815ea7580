// This file caches the Date header line.

package fastpath

import (
	"sync/atomic"
	"time"
)

type dateCache struct{ current atomic.Pointer[cachedDate] }

type cachedDate struct {
	second int64 // Unix time
	line   []byte
}

func formatDate(now time.Time) *cachedDate {
	const layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	line := append([]byte("Date: "), now.UTC().Format(layout)...)
	return &cachedDate{second: now.Unix(), line: append(line, "\r\n"...)}
}

func (c *dateCache) dateLine(now time.Time) []byte {
	d := c.current.Load()
	if d == nil || d.second != now.Unix() {
		d = formatDate(now)
		c.current.Store(d)
	}
	return d.line
}
