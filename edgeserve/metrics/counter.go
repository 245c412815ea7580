// This file counts what happens seldom enough for one number in one place.

package metrics

import "sync/atomic"

// Counter is a number that only rises. The zero value is ready.
type Counter struct{ n atomic.Uint64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Value is the number.
func (c *Counter) Value() uint64 { return c.n.Load() }

// Write writes the counter as a family of its own.
func (c *Counter) Write(t *Text, name, help string) {
	t.Family(name, "counter", help)
	t.Uint(c.Value())
}

// other is the label value of what was not foreseen, so that no request can make
// series.
const other = "other"

// Counters is a counter for each value of one label. The values are given once; any
// other is counted as "other".
type Counters struct {
	label  string
	values []string
	index  map[string]int // never changed, hence read without a lock
	counts []Counter      // one more than values
}

// NewCounters makes counters for the values of a label.
func NewCounters(label string, values ...string) *Counters {
	c := &Counters{label: label, values: append(values[:len(values):len(values)], other), index: make(map[string]int, len(values))}
	for i, v := range values {
		c.index[v] = i
	}
	c.counts = make([]Counter, len(c.values))
	return c
}

// Inc adds one to a value's counter.
func (c *Counters) Inc(value string) {
	i, ok := c.index[value]
	if !ok {
		i = len(c.counts) - 1
	}
	c.counts[i].Inc()
}

// Write writes all counters as one family; "other" only once it has counted.
func (c *Counters) Write(t *Text, name, help string) {
	t.Family(name, "counter", help)
	for i, v := range c.values {
		if n := c.counts[i].Value(); n > 0 || v != other {
			t.Uint(n, c.label, v)
		}
	}
}
