// This file parses pipeline aggregations, which compute from the buckets of others.

package body

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/script"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// inOrder are the pipelines that read the bucket before their own.
var inOrder = map[query.AggKind]bool{query.AggCumulativeSum: true, query.AggDerivative: true, query.AggSerialDiff: true}

// unitLengths are the mean lengths of calendar units in milliseconds.
var unitLengths = map[string]float64{
	"second": 1e3, "minute": 6e4, "hour": 36e5, "day": 864e5, "week": 7 * 864e5, "month": 2629746e3, "quarter": 3 * 2629746e3, "year": 31556952e3,
}

// The options of pipelines.
var (
	bucketsPath = of("buckets_path", required, func(p *parser, o *query.Pipeline, v *strictjson.Value) {
		if v.Kind == strictjson.Array && len(v.Items) == 1 { // an array of one path is a path
			o.Path = p.text(&v.Items[0])
		} else {
			o.Path = p.text(v)
		}
		if o.Path == "" {
			p.wrongValue(v, `a path like "months>total"`)
		}
	})
	gapPolicy = of("gap_policy", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) {
		o.Zeros = p.either(v, p.text(v), "insert_zeros", "skip")
	})
	pipelineFormat = of("format", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Format = p.text(v) })
	unitOption     = of("unit", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Unit = p.unit(v) })
	lagOption      = of("lag", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Lag = p.integer(v, 1) })
	pipelineSigma  = of("sigma", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Sigma = p.sigma(v) })
	percentsOption = of("percents", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Percents = p.numbers(v) })
	listOption     = of("keyed", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.List = !p.bool(v) })
)

func pipelineOptions(more ...option[query.Agg]) []option[query.Agg] {
	return append([]option[query.Agg]{bucketsPath, gapPolicy, pipelineFormat}, more...)
}

func beginPipeline(a *query.Agg) {
	o := &query.Pipeline{}
	switch a.Options = o; a.Kind {
	case query.AggSerialDiff:
		o.Lag = 1
	case query.AggExtendedStatsBucket:
		o.Sigma = 2
	case query.AggPercentilesBucket:
		o.Percents = defaultPercents
	}
}

var bucketSortOptions = []option[query.Agg]{
	of("sort", optional, parseBucketSort),
	of("from", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.From = p.integer(v, 0) }),
	of("size", optional, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Size = p.integer(v, 1) }),
	gapPolicy,
}

func finishBucketSort(p *parser, a *query.Agg, v *strictjson.Value) {
	if o := a.Options.(*query.Pipeline); p.err == nil && o.From == 0 && o.Size == 0 && len(o.Sort) == 0 {
		p.wrongValue(v, "a sort, a size, or a from above 0")
	}
}

// unit parses a unit of time, of a calendar or fixed.
func (p *parser) unit(v *strictjson.Value) float64 {
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

// scriptedOptions returns the options of a pipeline that runs a script for each bucket, and more options.
// finishScripted parses the script, because it needs the names of buckets_path.
func scriptedOptions(more ...option[query.Agg]) []option[query.Agg] {
	return append([]option[query.Agg]{
		of("buckets_path", required, func(p *parser, o *query.Pipeline, v *strictjson.Value) { o.Paths = p.namedPaths(v) }),
		{"script", required, func(*parser, *query.Agg, *strictjson.Value) {}},
		gapPolicy,
	}, more...)
}

func finishScripted(p *parser, a *query.Agg, v *strictjson.Value) {
	if p.err != nil {
		return
	}
	o := a.Options.(*query.Pipeline)
	names := make([]string, len(o.Paths))
	for i, path := range o.Paths {
		names[i] = path.Name
	}
	o.Script = parseScript(p, v.Member("script"), names, a.Kind == query.AggBucketSelector)
}

// namedPaths parses an object of paths by name. As in Elasticsearch an only path gets the name _value, and paths of an
// array get _value0, _value1 and so on.
func (p *parser) namedPaths(v *strictjson.Value) (paths []query.NamedPath) {
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
			if m.Kind == strictjson.Object {
				bucketSortKeyOptions.parse(p, &k, m)
			} else {
				k.Asc = p.ascending(m)
			}
			o.Sort = append(o.Sort, k)
		}
	})
}

var bucketSortKeyOptions = newTable("a sort key of bucket_sort", []option[query.AggSort]{
	{"order", optional, func(p *parser, k *query.AggSort, v *strictjson.Value) { k.Asc = p.ascending(v) }},
})

// checkPipelines checks the paths that the pipelines of a list read. The list is in the buckets of parent, or at the
// top if parent is nil.
func (p *parser) checkPipelines(v *strictjson.Value, list []query.Agg, parent *query.Agg) {
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
			p.checkSibling(at, list, o)
		case parent == nil || parent.Kind.Bucketing() != query.ManyBuckets || parent.Kind == query.AggFilters:
			p.fail(at, problem.BadAggregation, "%s must be in an aggregation with buckets in an order, such as terms or date_histogram", a.Kind)
		case inOrder[a.Kind] && parent.Kind != query.AggHistogram && parent.Kind != query.AggDateHistogram && parent.Kind != query.AggAutoDates:
			p.fail(at, problem.BadAggregation, "%s must be in a histogram, date_histogram or auto_date_histogram, not in %s", a.Kind, parent.Kind)
		case inOrder[a.Kind] && parent.Buckets.MinDocCount != 0:
			p.fail(at, problem.BadAggregation, "a histogram around %s needs a min_doc_count of 0", a.Kind)
		case o.Path != "":
			p.checkInside(at, list, i, o.Path)
		}
		for _, k := range o.Paths {
			p.checkInside(at, list, i, k.Path)
		}
		for _, k := range o.Sort {
			if k.Path != "_key" {
				p.checkInside(at, list, i, k.Path)
			}
		}
	}
}

func (p *parser) checkSibling(at *strictjson.Value, list []query.Agg, o *query.Pipeline) {
	for i := range list {
		a := &list[i]
		rest, ok := strings.CutPrefix(o.Path, a.Name+">")
		if !ok && !strings.Contains(o.Path, ">") {
			rest, ok = strings.CutPrefix(o.Path, a.Name+".") // a dot may replace >
		}
		if !ok || a.IsPipeline() || a.Kind.Bucketing() != query.ManyBuckets {
			continue
		}
		if rest == "_count" || readable(a.Subs, len(a.Subs), rest) {
			o.Path = a.Name + ">" + rest
			return
		}
	}
	p.fail(at, problem.BadAggregation, `%q is not a path to numbers of buckets: give the name of an aggregation at the same level that has buckets in an order, ">", and _count or an aggregation inside that gives one number`, strictjson.Clip(o.Path))
}

// checkInside checks a path of the pipeline list[i] that is computed in each bucket around it.
func (p *parser) checkInside(at *strictjson.Value, list []query.Agg, i int, path string) {
	if path != "_count" && !readable(list, i, path) {
		p.fail(at, problem.BadAggregation, "%q is not a number of a bucket: use _count, or an aggregation inside that gives one number", strictjson.Clip(path))
	}
}

// readable reports whether a path leads to a number in each bucket. Of pipelines, only pipelines among the first before
// aggregations of the list are readable.
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
