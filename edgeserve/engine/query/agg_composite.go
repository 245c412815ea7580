// This file defines composite.

package query

// Composite are the options of composite.
type Composite struct {
	Sources []CompositeSource
	After   []Value // the key after which buckets begin, by source; nil when absent
}

// Visit implements Part.
func (c *Composite) Visit(v *Visitor) {
	for i := range c.Sources {
		v.Part(&c.Sources[i])
	}
}

// CompositeSource is a part of the keys: Agg of type terms, histogram or date_histogram.
type CompositeSource struct {
	Agg
	Asc           bool
	MissingBucket bool
}
