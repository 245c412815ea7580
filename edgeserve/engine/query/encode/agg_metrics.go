// This file writes the options of metrics: percentiles, weighted_avg and top_hits.

package encode

import "contentedge/edgeserve/engine/query"

func (e *encoder) percentiles(o object, p *query.Percentiles) {
	name := "percents"
	if p.Ranks {
		name = "values"
	}
	o[name] = array(p.At, e.element)
	flagOff(o, "keyed", p.List)
	if p.HDR {
		o["hdr"] = object{"number_of_significant_value_digits": whole(p.Digits)}
	}
}

// element is double for an array.
func (e *encoder) element(f float64) any { return e.double(f) }

func (e *encoder) operand(w *query.Operand) object {
	o := object{"field": w.Field}
	e.optional(o, "missing", w.Missing)
	return o
}

// topHits writes the window of a bucket's hits, and what they show.
func (e *encoder) topHits(o object, b *query.Body) {
	o["from"], o["size"] = whole(b.Window.From), whole(b.Window.Size)
	e.order(o, &b.Order)
	e.show(o, &b.Show)
}
