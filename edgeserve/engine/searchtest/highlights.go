// This file makes up highlights.

package searchtest

// highlight is a highlight of some fields, which the body's query may have nothing to do with.
func (a *asker) highlight() object {
	h := object{}
	a.highlightOptions(h)
	option(a, h, 8, "encoder", "html", "default")
	option(a, h, 10, "tags_schema", "styled", "default")
	fields := object{}
	for range 1 + a.IntN(3) {
		name := pick(a.Rand, []string{a.field(), a.field(), a.field(), "Data.*", "*", "N*"})
		f := object{}
		if a.oneIn(4) {
			a.highlightOptions(f)
		}
		fields[name] = f
	}
	h["fields"] = fields
	return h
}

func (a *asker) highlightOptions(o object) {
	option(a, o, 2, "type", "unified", "plain", "plain")
	option(a, o, 3, "fragment_size", 0, 1, 10, 18, 20, 40, 100, 150, 1000)
	option(a, o, 3, "number_of_fragments", 0, 1, 2, 3, 10)
	option(a, o, 4, "no_match_size", 0, 1, 5, 20, 100)
	option(a, o, 3, "order", "score", "none")
	option(a, o, 3, "require_field_match", true, false)
	option(a, o, 4, "boundary_scanner", "word", "sentence")
	option(a, o, 6, "fragmenter", "simple", "span")
	if a.oneIn(8) {
		o["highlight_query"] = a.clause(1)
	}
	if a.oneIn(8) {
		o["pre_tags"], o["post_tags"] = []string{"["}, []string{"]"}
	}
}
