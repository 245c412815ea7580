// This file prints the members of a body and its aggregations.

package body

import (
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// String returns b as JSON. Parse turns it back into an equal Body.
func printBody(b *query.Body) string {
	var o object
	if b.Window.HasFrom {
		o = o.raw("from", strconv.Itoa(b.Window.From))
	}
	if b.Window.HasSize {
		o = o.raw("size", strconv.Itoa(b.Window.Size))
	}
	if b.Query != nil {
		o = o.raw("query", printNode(b.Query))
	}
	if len(b.Order.Keys) > 0 {
		o = o.raw("sort", join(b.Order.Keys, printSortKey))
	}
	o = o.members(b)
	if b.Window.After != nil {
		o = o.raw("search_after", join(b.Window.After, func(v *query.Value) string {
			if v == nil {
				return "null"
			}
			return printValue(*v)
		}))
	}
	if b.Order.TrackScores {
		o = o.raw("track_scores", "true")
	}
	if b.Show.Source != nil {
		o = o.raw("_source", printSource(b.Show.Source))
	}
	return o.aggs(b.Aggs).done()
}

// String prints {field:order}, or {field:{order, …}}.
func printSortKey(k query.SortKey) string {
	if !k.HasOptions() && k.Unmapped == "" {
		return object(nil).raw(k.Field, order(k.Asc)).done()
	}
	o := object(nil).raw("order", order(k.Asc))
	if k.Missing != nil {
		o = o.raw("missing", printValue(*k.Missing))
	}
	if k.Mode != "" {
		o = o.raw("mode", quote(k.Mode))
	}
	if k.Unmapped != "" {
		o = o.raw("unmapped_type", quote(k.Unmapped))
	}
	if k.NumericType != "" {
		o = o.raw("numeric_type", quote(k.NumericType))
	}
	return object(nil).raw(k.Field, o.done()).done()
}

// order returns a sort order as JSON.
func order(asc bool) string {
	if asc {
		return `"asc"`
	}
	return `"desc"`
}

// String prints false or {"includes":[…],"excludes":[…]}.
func printSource(s *query.Source) string {
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
func (o object) aggs(list []query.Agg) object {
	if len(list) == 0 {
		return o
	}
	var named object
	for i := range list {
		named = named.raw(list[i].Name, printAgg(&list[i]))
	}
	return o.raw("aggs", named.done())
}

// String prints {kind:{…},"aggs":{…}}.
func printAgg(a *query.Agg) string {
	o := object(nil).raw(string(a.Kind), printAggOptions(a))
	if a.Meta != "" {
		o = o.raw("meta", a.Meta)
	}
	return o.aggs(a.Subs).done()
}

// printAggOptions prints the object under the aggregation's type name.
func printAggOptions(a *query.Agg) string {
	switch a.Kind {
	case query.AggFilter:
		return printNode(a.Filters.Query)
	case query.AggAdjacency:
		return object(nil).raw("filters", printAggFilters(a)).raw("separator", quote(a.Options.(*query.Adjacency).Separator)).done()
	case query.AggFilters:
		return object(nil).raw("filters", printAggFilters(a)).text("other_bucket_key", a.Filters.Other).done()
	}
	if a.Kind == query.AggAutoDates {
		return object(nil).text("field", a.Values.Field).integer("buckets", a.Buckets.Size, autoBuckets).text("minimum_interval", a.Buckets.Interval).
			text("format", a.Values.Format).value("missing", a.Values.Missing).text("time_zone", a.Values.TimeZone).done()
	}
	size, least := 0, 0
	switch a.Kind {
	case query.AggTerms:
		size, least = query.DefaultSize, 1
	case query.AggComposite:
		size = query.DefaultSize
	}
	o := object(nil).text("field", a.Values.Field).text("calendar_interval", a.Buckets.Interval).text("format", a.Values.Format).
		integer("size", a.Buckets.Size, size).integer("min_doc_count", a.Buckets.MinDocCount, least).value("missing", a.Values.Missing).
		texts("include", a.Select.Include).texts("exclude", a.Select.Exclude).trueIf("keyed", a.Buckets.Keyed).text("time_zone", a.Values.TimeZone).text("value_type", a.Values.ValueType)
	if len(a.Buckets.Order) > 0 {
		o = o.raw("order", join(a.Buckets.Order, printAggSort))
	}
	switch t := a.Options.(type) {
	case *query.Histogram:
		o = printHistogram(t, o, a.Kind != query.AggHistogram)
	case *query.Ranges:
		o = o.raw("ranges", join(t.Ranges, printRangeBounds))
	case *query.TermsOptions:
		o = printTermsOptions(t, o)
	case *query.Composite:
		o = printComposite(t, o)
	case *query.Pipeline:
		if t.Script != nil {
			paths := object(nil)
			for _, path := range t.Paths {
				paths = paths.raw(path.Name, quote(path.Path))
			}
			if t.Zeros {
				o = o.raw("gap_policy", `"insert_zeros"`)
			}
			return o.raw("buckets_path", paths.done()).raw("script", t.Script.JSON).text("format", t.Format).done()
		}
		o = o.text("buckets_path", t.Path).integer("from", t.From, 0).integer("size", t.Size, 0).text("format", t.Format)
		if t.Zeros {
			o = o.raw("gap_policy", `"insert_zeros"`)
		}
		if t.Unit > 0 {
			o = o.text("unit", strconv.FormatFloat(t.Unit, 'f', -1, 64)+"ms")
		}
		o = o.integer("lag", t.Lag, 0)
		if len(t.Sort) > 0 {
			o = o.raw("sort", join(t.Sort, printAggSort))
		}
	case *query.ExtendedStats:
		o = printExtendedStats(t, o)
	case *query.Percentiles:
		o = printPercentiles(t, o)
	case *query.WeightedAvg:
		o = printWeightedAvg(t, o)
	case *query.Significance:
		o = printSignificance(t, o)
	case *query.Body:
		printed := *t
		printed.Window.HasFrom, printed.Window.HasSize = true, true
		return printBody(&printed)
	}
	return o.done()
}

func printHistogram(h *query.Histogram, o object, dates bool) object {
	number := func(f float64) string {
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if dates {
			s = quote(strconv.FormatInt(int64(f), 10) + "ms")
		}
		return s
	}
	if h.Interval != 0 && dates {
		o = o.raw("fixed_interval", number(h.Interval))
	} else if h.Interval != 0 {
		o = o.raw("interval", number(h.Interval))
	}
	if h.Offset != 0 {
		o = o.raw("offset", number(h.Offset))
	}
	if h.Extended != nil {
		o = o.raw("extended_bounds", object(nil).value("min", h.Extended.Min).value("max", h.Extended.Max).done())
	}
	if h.Hard != nil {
		o = o.raw("hard_bounds", object(nil).value("min", h.Hard.Min).value("max", h.Hard.Max).done())
	}
	return o
}

// String prints a range.
func printRangeBounds(r query.RangeBounds) string {
	return object(nil).text("key", r.Key).value("from", r.From).value("to", r.To).done()
}

func printTermsOptions(t *query.TermsOptions, o object) object {
	if t.Include != nil {
		o = o.raw("include", quote(*t.Include))
	}
	if t.Exclude != nil {
		o = o.raw("exclude", quote(*t.Exclude))
	}
	if t.Partitions > 0 {
		o = o.raw("include", object(nil).integer("partition", t.Partition, -1).integer("num_partitions", t.Partitions, 0).done())
	}
	return o.integer("shard_size", t.ShardSize, 0).trueIf("show_term_doc_count_error", t.ShowErrors).integer("max_doc_count", t.MaxDocCount, min(t.MaxDocCount, 1))
}

func printComposite(c *query.Composite, o object) object {
	o = o.raw("sources", join(c.Sources, func(s query.CompositeSource) string {
		options := object(nil).text("field", s.Values.Field).text("calendar_interval", s.Buckets.Interval).text("format", s.Values.Format).text("time_zone", s.Values.TimeZone)
		if h, ok := s.Options.(*query.Histogram); ok {
			options = printHistogram(h, options, s.Kind != query.AggHistogram)
		}
		options = options.trueIf("missing_bucket", s.MissingBucket)
		if !s.Asc {
			options = options.raw("order", `"desc"`)
		}
		return object(nil).raw(s.Name, object(nil).raw(string(s.Kind), options.done()).done()).done()
	}))
	if c.After == nil {
		return o
	}
	var after object
	for i := range c.After {
		if v := &c.After[i]; v.Kind == query.Null {
			after = after.raw(c.Sources[i].Name, "null")
		} else {
			after = after.value(c.Sources[i].Name, v)
		}
	}
	return o.raw("after", after.done())
}

// printAggFilters prints the queries of a filters aggregation, as an object or an array.
func printAggFilters(a *query.Agg) string {
	if a.Filters.Anonymous {
		return join(a.Filters.List, func(f query.NamedFilter) string { return printNode(f.Filter) })
	}
	var o object
	for _, f := range a.Filters.List {
		o = o.raw(f.Name, printNode(f.Filter))
	}
	return o.done()
}

// String prints {path:order}.
func printAggSort(s query.AggSort) string { return object(nil).raw(s.Path, order(s.Asc)).done() }
