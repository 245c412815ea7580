// This file writes the options of histograms, ranges and composite.

package encode

import "contentedge/edgeserve/engine/query"

// histogram writes the interval of a histogram, or of a source of composite.
func (e *encoder) histogram(o object, a *query.Agg, h *query.Histogram) {
	if a.Kind == query.AggDateHistogram {
		dateInterval(o, a.Buckets.Interval, h)
	} else {
		if h.Interval != 0 { // a source of type terms has none
			o["interval"] = e.double(h.Interval)
		}
		if h.Offset != 0 {
			o["offset"] = e.double(h.Offset)
		}
	}
	e.keyBounds(o, "extended_bounds", h.Extended)
	e.keyBounds(o, "hard_bounds", h.Hard)
}

// dateInterval writes a calendar interval, or a fixed one in milliseconds.
func dateInterval(o object, calendar string, h *query.Histogram) {
	text(o, "calendar_interval", calendar)
	if h.Interval != 0 {
		o["fixed_interval"] = milliseconds(int64(h.Interval))
	}
	integer(o, "offset", int(h.Offset), 0)
}

func (e *encoder) keyBounds(o object, name string, b *query.Bounds) {
	if b == nil {
		return
	}
	bounds := object{}
	e.optional(bounds, "min", b.Min)
	e.optional(bounds, "max", b.Max)
	o[name] = bounds
}

func (e *encoder) rangeBounds(b query.RangeBounds) any {
	o := object{}
	text(o, "key", b.Key)
	e.optional(o, "from", b.From)
	e.optional(o, "to", b.To)
	return o
}

func (e *encoder) composite(o object, c *query.Composite) {
	o["sources"] = array(c.Sources, func(s query.CompositeSource) any {
		return object{s.Name: object{string(s.Kind): e.compositeSource(&s)}}
	})
	if c.After == nil {
		return
	}
	after := make(object, len(c.After))
	for i, v := range c.After {
		after[c.Sources[i].Name] = e.value(v)
	}
	o["after"] = after
}

func (e *encoder) compositeSource(s *query.CompositeSource) object {
	o := e.aggValues(&s.Values)
	if h, ok := s.Options.(*query.Histogram); ok {
		e.histogram(o, &s.Agg, h)
	}
	o["order"] = direction(s.Asc)
	flag(o, "missing_bucket", s.MissingBucket)
	return o
}
