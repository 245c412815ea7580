// This file writes collapse and rescore, which choose hits among the matches.

package encode

import "contentedge/edgeserve/engine/query"

func (e *encoder) collapse(c *query.Collapse) object {
	o := object{"field": c.Field}
	if len(c.Inner) > 0 {
		o["inner_hits"] = array(c.Inner, e.innerHits)
	}
	return o
}

func (e *encoder) innerHits(in query.InnerHits) any {
	b := in.Body
	if b == nil {
		e.fail("the inner hits %q lack a body", in.Name)
		return nil
	}
	o := object{"name": in.Name, "from": whole(b.Window.From), "size": whole(b.Window.Size)}
	e.order(o, &b.Order)
	e.show(o, &b.Show)
	if b.Collapse != nil {
		o["collapse"] = e.collapse(b.Collapse)
	}
	return o
}

func (e *encoder) rescore(r query.Rescore) any {
	return object{
		"window_size": whole(r.Window),
		"query": object{
			"rescore_query":        e.node(r.Query),
			"query_weight":         e.score(float64(r.Weight)),
			"rescore_query_weight": e.score(float64(r.QueryWeight)),
			"score_mode":           r.Mode,
		},
	}
}
