// This file writes the options of pipeline aggregations.

package encode

import "contentedge/edgeserve/engine/query"

// pipeline writes the options of a pipeline. The zero value of an option is its default, or the type has no such
// option. sigma and percents have other defaults.
func (e *encoder) pipeline(o object, kind query.AggKind, p *query.Pipeline) {
	text(o, "buckets_path", p.Path)
	if p.Script != nil {
		paths := make(object, len(p.Paths))
		for _, path := range p.Paths {
			paths[path.Name] = path.Path
		}
		o["buckets_path"], o["script"] = paths, e.decoded(p.Script.JSON)
	}
	if len(p.Sort) > 0 {
		o["sort"] = array(p.Sort, func(k query.AggSort) any { return object{k.Path: direction(k.Asc)} })
	}
	integer(o, "from", p.From, 0)
	integer(o, "size", p.Size, 0)
	if p.Zeros {
		o["gap_policy"] = "insert_zeros"
	}
	text(o, "format", p.Format)
	if p.Unit != 0 {
		o["unit"] = milliseconds(int64(p.Unit))
	}
	integer(o, "lag", p.Lag, 0)
	switch kind {
	case query.AggExtendedStatsBucket:
		o["sigma"] = e.double(p.Sigma)
	case query.AggPercentilesBucket:
		o["percents"] = array(p.Percents, e.element)
		flagOff(o, "keyed", p.List)
	}
}
