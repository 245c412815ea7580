// This file prints the members of a body and its aggregations.

package query

import "strconv"

// String returns b as JSON. Parse turns it back into an equal Body.
func (b *Body) String() string {
	var o object
	if b.HasFrom {
		o = o.raw("from", strconv.Itoa(b.From))
	}
	if b.HasSize {
		o = o.raw("size", strconv.Itoa(b.Size))
	}
	if b.Query != nil {
		o = o.raw("query", printNode(b.Query))
	}
	if len(b.Sort) > 0 {
		o = o.raw("sort", join(b.Sort, SortKey.String))
	}
	if b.Source != nil {
		o = o.raw("_source", b.Source.String())
	}
	return o.aggs(b.Aggs).done()
}

// String prints {field:order}.
func (k SortKey) String() string { return object(nil).raw(k.Field, order(k.Asc)).done() }

// order returns a sort order as JSON.
func order(asc bool) string {
	if asc {
		return `"asc"`
	}
	return `"desc"`
}

// String prints false or {"includes":[…],"excludes":[…]}.
func (s *Source) String() string {
	if s.None {
		return "false"
	}
	var o object
	if len(s.Includes) > 0 {
		o = o.texts("includes", s.Includes)
	}
	if len(s.Excludes) > 0 {
		o = o.texts("excludes", s.Excludes)
	}
	return o.done()
}

// aggs adds aggregations unless there are none.
func (o object) aggs(list []Agg) object {
	if len(list) == 0 {
		return o
	}
	var named object
	for i := range list {
		named = named.raw(list[i].Name, list[i].String())
	}
	return o.raw("aggs", named.done())
}

// String prints {kind:{…},"aggs":{…}}.
func (a *Agg) String() string {
	return object(nil).raw(string(a.Kind), a.options()).aggs(a.Subs).done()
}

// options prints the object under the aggregation's type name.
func (a *Agg) options() string {
	switch a.Kind {
	case AggFilter:
		return printNode(a.Filter)
	case AggFilters:
		return object(nil).raw("filters", a.filters()).done()
	}
	size, least := 0, 0
	if a.Kind == AggTerms {
		size, least = DefaultSize, 1
	}
	o := object(nil).text("field", a.Field).text("calendar_interval", a.Interval).text("format", a.Format).
		integer("size", a.Size, size).integer("min_doc_count", a.MinDocCount, least).value("missing", a.Missing).
		texts("include", a.Include).texts("exclude", a.Exclude)
	if len(a.Order) > 0 {
		o = o.raw("order", join(a.Order, AggSort.String))
	}
	return o.done()
}

// filters prints the queries of a filters aggregation, as an object or an array.
func (a *Agg) filters() string {
	if a.Anonymous {
		return join(a.Filters, func(f NamedFilter) string { return printNode(f.Filter) })
	}
	var o object
	for _, f := range a.Filters {
		o = o.raw(f.Name, printNode(f.Filter))
	}
	return o.done()
}

// String prints {path:order}.
func (s AggSort) String() string { return object(nil).raw(s.Path, order(s.Asc)).done() }
