// This file has counters for infrequent events, each in one memory location.

package prometheus

import "sync/atomic"

// Counter only rises. The zero value is ready.
type Counter struct{ n atomic.Uint64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Value returns the count.
func (c *Counter) Value() uint64 { return c.n.Load() }

// Write writes the counter as a family of its own.
func (c *Counter) Write(t *Text, name, help string) {
	t.Family(name, "counter", help)
	t.Uint(c.Value())
}

const other = "other" // for unexpected values, so that requests cannot create series

// Counters has a counter for each value of one label. Unknown values count as "other".
type Counters struct {
	label  string
	values []string
	index  map[string]int // immutable, so it needs no lock
	counts []Counter      // one per value, then other
}

// NewCounters returns counters for these values of a label.
func NewCounters(label string, values ...string) *Counters {
	c := &Counters{label: label, values: append(values[:len(values):len(values)], other), index: make(map[string]int, len(values))}
	for i, v := range values {
		c.index[v] = i
	}
	c.counts = make([]Counter, len(c.values))
	return c
}

// Inc adds one to a value's counter.
func (c *Counters) Inc(value string) { c.Add(value, 1) }

// Add adds to a value's counter.
func (c *Counters) Add(value string, n uint64) {
	i, ok := c.index[value]
	if !ok {
		i = len(c.counts) - 1
	}
	c.counts[i].n.Add(n)
}

// Write writes all counters as one family, "other" only if it is not zero.
func (c *Counters) Write(t *Text, name, help string) {
	t.Family(name, "counter", help)
	for i, v := range c.values {
		if n := c.counts[i].Value(); n > 0 || v != other {
			t.Uint(n, c.label, v)
		}
	}
}
