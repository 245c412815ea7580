// This file parses pipeline aggregations, which compute from the buckets of others.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/script"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"fmt"
	"strings"
)

// inOrder are the pipelines that read the bucket before.
var inOrder = map[query.AggKind]bool{query.AggCumulativeSum: true, query.AggDerivative: true, query.AggSerialDiff: true}

// unitLengths are the mean lengths of calendar units in milliseconds.
var unitLengths = map[string]float64{
	"second": 1e3, "minute": 6e4, "hour": 36e5, "day": 864e5, "week": 7 * 864e5, "month": 2629746e3, "quarter": 3 * 2629746e3, "year": 31556952e3,
}

func parsePipelineAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	o := &query.Pipeline{}
	switch a.Options = o; a.Kind {
	case query.AggSerialDiff:
		o.Lag = 1
	case query.AggExtendedStatsBucket:
		o.Sigma = 2
	case query.AggPercentilesBucket:
		o.Percents = defaultPercents
	}
	parseAggOptions(p, a, t, v, func(m *strictjson.Value) bool {
		switch m.Name {
		case "buckets_path":
			if o.Path = parseBucketsPath(p, m); o.Path == "" {
				p.wrongValue(m, `a path like "months>total"`)
			}
		case "gap_policy":
			o.Zeros = p.either(m, p.text(m), "insert_zeros", "skip")
		case "from":
			o.From = p.integer(m, 0)
		case "size":
			o.Size = p.integer(m, 1)
		case "sort":
			parseBucketSort(p, o, m)
		case "format":
			o.Format = p.text(m)
		case "unit":
			o.Unit = parseUnit(p, m)
		case "lag":
			o.Lag = p.integer(m, 1)
		case "sigma":
			if o.Sigma = number(m); !(o.Sigma >= 0) {
				p.wrongValue(m, "a number from 0")
			}
		case "percents":
			o.Percents = parseNumbers(p, m)
		case "keyed":
			o.List = !p.bool(m)
		default:
			return false
		}
		return true
	})
	if a.Kind != query.AggBucketSort {
		p.require(v, "buckets_path")
	} else if p.err == nil && o.From == 0 && o.Size == 0 && len(o.Sort) == 0 {
		p.wrongValue(v, "a sort, a size, or a from above 0")
	}
}

// unit parses a unit of time, of a calendar or fixed.
func parseUnit(p *parser, v *strictjson.Value) float64 {
	text := p.text(v)
	if ms, ok := unitLengths[intervals[text]]; ok {
		return ms
	}
	ms, ok := parseDuration(text)
	if !ok || ms == 0 {
		p.wrongValue(v, "a unit such as day, or a number and one of the units ms, s, m, h and d, like 30d")
	}
	return float64(ms)
}

// scriptedAgg parses a pipeline that runs a script for each bucket.
func parseScriptedAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	o := &query.Pipeline{}
	a.Options = o
	var source *strictjson.Value
	parseAggOptions(p, a, t, v, func(m *strictjson.Value) bool {
		switch m.Name {
		case "buckets_path":
			o.Paths = parseNamedPaths(p, m)
		case "script":
			source = m
		case "gap_policy":
			o.Zeros = p.either(m, p.text(m), "insert_zeros", "skip")
		case "format":
			o.Format = p.text(m)
		}
		return true
	})
	p.require(v, "buckets_path")
	if p.require(v, "script"); p.err != nil {
		return
	}
	names := make([]string, len(o.Paths))
	for i, path := range o.Paths {
		names[i] = path.Name
	}
	o.Script = parseScript(p, source, names, a.Kind == query.AggBucketSelector)
}

// namedPaths parses paths with their names. Elasticsearch has a name for one alone, and for those of an array.
func parseNamedPaths(p *parser, v *strictjson.Value) (paths []query.NamedPath) {
	if v.Kind != strictjson.Object && v.Kind != strictjson.Array {
		return []query.NamedPath{{Name: "_value", Path: p.fieldName(v)}}
	}
	if len(v.Items) == 0 {
		p.wrongValue(v, `an object like {"n":"_count"}, at least one path`)
	}
	if p.tooMany(v, "paths", len(v.Items), script.MaxNames) {
		return nil
	}
	for i := range v.Items {
		m := &v.Items[i]
		name := m.Name
		if v.Kind == strictjson.Array {
			name = fmt.Sprint("_value", i)
		}
		paths = append(paths, query.NamedPath{Name: name, Path: p.fieldName(m)})
	}
	return paths
}

// bucketsPath parses a path, which may be the only one of an array.
func parseBucketsPath(p *parser, v *strictjson.Value) string {
	if v.Kind == strictjson.Array && len(v.Items) == 1 {
		v = &v.Items[0]
	}
	return p.text(v)
}

func parseBucketSort(p *parser, o *query.Pipeline, v *strictjson.Value) {
	if len(v.Items) > maxSortKeys {
		p.fail(v, problem.BadAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
		return
	}
	p.each(v, func(e *strictjson.Value) {
		if e.Kind != strictjson.Object {
			o.Sort = append(o.Sort, query.AggSort{Path: p.fieldName(e), Asc: true})
			return
		}
		for i := range e.Items {
			m, k := &e.Items[i], query.AggSort{Path: e.Items[i].Name, Asc: true}
			if m.Kind != strictjson.Object {
				k.Asc = parseAscending(p, m)
			} else {
				for j := range m.Items {
					if m.Items[j].Name != "order" {
						p.fail(&m.Items[j], problem.UnknownOption, "unknown option %q of a sort key of bucket_sort; known options: order", strictjson.Clip(m.Items[j].Name))
						return
					}
					k.Asc = parseAscending(p, &m.Items[j])
				}
			}
			o.Sort = append(o.Sort, k)
		}
	})
}

// checkPipelines checks what the pipelines of a list read: in the buckets of parent, or at the top.
func parseCheckPipelines(p *parser, v *strictjson.Value, list []query.Agg, parent *query.Agg) {
	if p.err != nil {
		return
	}
	for i := range list {
		a := &list[i]
		o, ok := a.Options.(*query.Pipeline)
		if !ok {
			continue
		}
		at := v.Member(a.Name)
		for i := range v.Items {
			if v.Items[i].Name == a.Name {
				at = &v.Items[i]
			}
		}
		switch {
		case a.Sibling():
			parseCheckSibling(p, at, list, o)
		case parent == nil || parent.Kind.Bucketing() != query.ManyBuckets || parent.Kind == query.AggFilters:
			p.fail(at, problem.BadAggregation, "%s stands in an aggregation with buckets in an order, such as terms or date_histogram", a.Kind)
		case inOrder[a.Kind] && parent.Kind != query.AggHistogram && parent.Kind != query.AggDateHistogram && parent.Kind != query.AggAutoDates:
			p.fail(at, problem.BadAggregation, "%s stands in a histogram, date_histogram or auto_date_histogram, not in %s", a.Kind, parent.Kind)
		case inOrder[a.Kind] && parent.MinDocCount != 0:
			p.fail(at, problem.BadAggregation, "a histogram around %s needs a min_doc_count of 0", a.Kind)
		case o.Path != "":
			parseCheckInside(p, at, list, i, o.Path)
		}
		for _, k := range o.Paths {
			parseCheckInside(p, at, list, i, k.Path)
		}
		for _, k := range o.Sort {
			if k.Path != "_key" {
				parseCheckInside(p, at, list, i, k.Path)
			}
		}
	}
}

func parseCheckSibling(p *parser, at *strictjson.Value, list []query.Agg, o *query.Pipeline) {
	for i := range list {
		a := &list[i]
		rest, ok := strings.CutPrefix(o.Path, a.Name+">")
		if !ok && !strings.Contains(o.Path, ">") {
			rest, ok = strings.CutPrefix(o.Path, a.Name+".") // a dot stands in place of >
		}
		if !ok || a.IsPipeline() || a.Kind.Bucketing() != query.ManyBuckets {
			continue
		}
		if rest == "_count" || readable(a.Subs, len(a.Subs), rest) {
			o.Path = a.Name + ">" + rest
			return
		}
	}
	p.fail(at, problem.BadAggregation, `%q is no path to numbers of buckets: give the name of an aggregation beside this one that has buckets in an order, ">", and _count or an aggregation inside that gives one number`, strictjson.Clip(o.Path))
}

// checkInside checks a path within buckets. A pipeline may read those before it.
func parseCheckInside(p *parser, at *strictjson.Value, list []query.Agg, i int, path string) {
	if path != "_count" && !readable(list, i, path) {
		p.fail(at, problem.BadAggregation, "%q is no number of a bucket: use _count, or an aggregation inside that gives one number", strictjson.Clip(path))
	}
}

// readable tells whether a path leads to a number in each bucket. Of pipelines, the first before ones are.
func readable(list []query.Agg, before int, path string) bool {
	chain, part, ok := query.ResolveBucketsPath(list, path)
	for k, a := range chain {
		if a.IsPipeline() {
			at := 0
			for at < len(list) && &list[at] != a {
				at++
			}
			return ok && k == 0 && len(chain) == 1 && at < before && !a.Sibling()
		}
		if ok = ok && (k == len(chain)-1 || a.Kind.Bucketing() == query.OneBucket); !ok {
			return false
		}
	}
	return ok && (chain[len(chain)-1].Kind.Bucketing() != query.ManyBuckets || part == query.BucketCount)
}
