// This file parses pipeline aggregations, which compute from the buckets of others.

package query

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Pipeline are the options of a pipeline aggregation.
type Pipeline struct {
	Path       string      // buckets_path
	Paths      []NamedPath // what Script reads
	Script     *Script     // bucket_selector, bucket_script
	Sort       []AggSort
	From, Size int // bucket_sort; a Size of 0 is all
	Zeros      bool
	Format     string
	Unit       float64   // derivative: milliseconds that the difference of two keys is divided by; 0: none
	Lag        int       // serial_diff: how many buckets before
	Sigma      float64   // extended_stats_bucket
	Percents   []float64 // percentiles_bucket, in the order of the result
	List       bool      // percentiles_bucket: an array instead of an object
}

// NamedPath is a path of buckets_path and the name of its number in a script.
type NamedPath struct{ Name, Path string }

// inOrder are the pipelines that read the bucket before.
var inOrder = map[AggKind]bool{AggCumulativeSum: true, AggDerivative: true, AggSerialDiff: true}

// unitLengths are the mean lengths of calendar units in milliseconds.
var unitLengths = map[string]float64{
	"second": 1e3, "minute": 6e4, "hour": 36e5, "day": 864e5, "week": 7 * 864e5, "month": 2629746e3, "quarter": 3 * 2629746e3, "year": 31556952e3,
}

// Sibling tells whether a is a pipeline that reads the buckets of an aggregation beside it.
func (a *Agg) Sibling() bool {
	switch a.Kind {
	case AggAvgBucket, AggSumBucket, AggMinBucket, AggMaxBucket, AggStatsBucket, AggExtStatsBuck, AggPercentBucket:
		return true
	}
	return false
}

// IsPipeline tells whether a is computed from the buckets of others. It is asked for each bucket.
func (a *Agg) IsPipeline() bool {
	switch a.Kind {
	case AggBucketSort, AggBucketSelect, AggBucketScript, AggCumulativeSum, AggDerivative, AggSerialDiff: // of the buckets that it stands in
		return true
	}
	return a.Sibling()
}

func (p *bodyParser) pipelineAgg(a *Agg, t *aggType, v *value) {
	o := &Pipeline{}
	switch a.Options = o; a.Kind {
	case AggSerialDiff:
		o.Lag = 1
	case AggExtStatsBuck:
		o.Sigma = 2
	case AggPercentBucket:
		o.Percents = defaultPercents
	}
	p.aggOptions(a, t, v, func(m *value) bool {
		switch m.name {
		case "buckets_path":
			if o.Path = p.bucketsPath(m); o.Path == "" {
				p.wrongValue(m, `a path like "months>total"`)
			}
		case "gap_policy":
			o.Zeros = p.either(m, p.text(m), "insert_zeros", "skip")
		case "from":
			o.From = p.integer(m, 0)
		case "size":
			o.Size = p.integer(m, 1)
		case "sort":
			p.bucketSort(o, m)
		case "format":
			o.Format = p.text(m)
		case "unit":
			o.Unit = p.unit(m)
		case "lag":
			o.Lag = p.integer(m, 1)
		case "sigma":
			if o.Sigma = m.number(); !(o.Sigma >= 0) {
				p.wrongValue(m, "a number from 0")
			}
		case "percents":
			o.Percents = p.numbers(m)
		case "keyed":
			o.List = !p.bool(m)
		default:
			return false
		}
		return true
	})
	if a.Kind != AggBucketSort {
		p.require(v, "buckets_path")
	} else if p.err == nil && o.From == 0 && o.Size == 0 && len(o.Sort) == 0 {
		p.wrongValue(v, "a sort, a size, or a from above 0")
	}
}

// unit parses a unit of time, of a calendar or fixed.
func (p *bodyParser) unit(v *value) float64 {
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
func (p *bodyParser) scriptedAgg(a *Agg, t *aggType, v *value) {
	o := &Pipeline{}
	a.Options = o
	var source *value
	p.aggOptions(a, t, v, func(m *value) bool {
		switch m.name {
		case "buckets_path":
			o.Paths = p.namedPaths(m)
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
	o.Script = p.script(source, names, a.Kind == AggBucketSelect)
}

// namedPaths parses paths with their names. Elasticsearch has a name for one alone, and for those of an array.
func (p *bodyParser) namedPaths(v *value) (paths []NamedPath) {
	if v.kind != kindObject && v.kind != kindArray {
		return []NamedPath{{Name: "_value", Path: p.fieldName(v)}}
	}
	if len(v.items) == 0 {
		p.wrongValue(v, `an object like {"n":"_count"}, at least one path`)
	}
	if p.tooMany(v, "paths", len(v.items), maxScriptNames) {
		return nil
	}
	for i := range v.items {
		m := &v.items[i]
		name := m.name
		if v.kind == kindArray {
			name = fmt.Sprint("_value", i)
		}
		paths = append(paths, NamedPath{Name: name, Path: p.fieldName(m)})
	}
	return paths
}

// bucketsPath parses a path, which may be the only one of an array.
func (p *bodyParser) bucketsPath(v *value) string {
	if v.kind == kindArray && len(v.items) == 1 {
		v = &v.items[0]
	}
	return p.text(v)
}

func (p *bodyParser) bucketSort(o *Pipeline, v *value) {
	if len(v.items) > maxSortKeys {
		p.fail(v, problem.BadAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
		return
	}
	p.each(v, func(e *value) {
		if e.kind != kindObject {
			o.Sort = append(o.Sort, AggSort{Path: p.fieldName(e), Asc: true})
			return
		}
		for i := range e.items {
			m, k := &e.items[i], AggSort{Path: e.items[i].name, Asc: true}
			if m.kind != kindObject {
				k.Asc = p.ascending(m)
			} else {
				for j := range m.items {
					if m.items[j].name != "order" {
						p.fail(&m.items[j], problem.UnknownOption, "unknown option %q of a sort key of bucket_sort; known options: order", clip(m.items[j].name))
						return
					}
					k.Asc = p.ascending(&m.items[j])
				}
			}
			o.Sort = append(o.Sort, k)
		}
	})
}

// checkPipelines checks what the pipelines of a list read: in the buckets of parent, or at the top.
func (p *bodyParser) checkPipelines(v *value, list []Agg, parent *Agg) {
	if p.err != nil {
		return
	}
	for i := range list {
		a := &list[i]
		o, ok := a.Options.(*Pipeline)
		if !ok {
			continue
		}
		at := v.member(a.Name)
		for i := range v.items {
			if v.items[i].name == a.Name {
				at = &v.items[i]
			}
		}
		switch {
		case a.Sibling():
			p.checkSibling(at, list, o)
		case parent == nil || aggTypeOf(string(parent.Kind)).holds != manyBuckets || parent.Kind == AggFilters:
			p.fail(at, problem.BadAggregation, "%s stands in an aggregation with buckets in an order, such as terms or date_histogram", a.Kind)
		case inOrder[a.Kind] && parent.Kind != AggHistogram && parent.Kind != AggDateHistogram && parent.Kind != AggAutoDates:
			p.fail(at, problem.BadAggregation, "%s stands in a histogram, date_histogram or auto_date_histogram, not in %s", a.Kind, parent.Kind)
		case inOrder[a.Kind] && parent.MinDocCount != 0:
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

func (p *bodyParser) checkSibling(at *value, list []Agg, o *Pipeline) {
	for i := range list {
		a := &list[i]
		rest, ok := strings.CutPrefix(o.Path, a.Name+">")
		if !ok && !strings.Contains(o.Path, ">") {
			rest, ok = strings.CutPrefix(o.Path, a.Name+".") // a dot stands in place of >
		}
		if !ok || a.IsPipeline() || aggTypeOf(string(a.Kind)).holds != manyBuckets {
			continue
		}
		if rest == "_count" || readable(a.Subs, len(a.Subs), rest) {
			o.Path = a.Name + ">" + rest
			return
		}
	}
	p.fail(at, problem.BadAggregation, `%q is no path to numbers of buckets: give the name of an aggregation beside this one that has buckets in an order, ">", and _count or an aggregation inside that gives one number`, clip(o.Path))
}

// checkInside checks a path within buckets. A pipeline may read those before it.
func (p *bodyParser) checkInside(at *value, list []Agg, i int, path string) {
	if path != "_count" && !readable(list, i, path) {
		p.fail(at, problem.BadAggregation, "%q is no number of a bucket: use _count, or an aggregation inside that gives one number", clip(path))
	}
}

// readable tells whether a path leads to a number in each bucket. Of pipelines, the first before ones are.
func readable(list []Agg, before int, path string) bool {
	chain, part, ok := FindNumber(list, path)
	for k, a := range chain {
		if a.IsPipeline() {
			at := 0
			for at < len(list) && &list[at] != a {
				at++
			}
			return ok && k == 0 && len(chain) == 1 && at < before && !a.Sibling()
		}
		if ok = ok && (k == len(chain)-1 || aggTypeOf(string(a.Kind)).holds == oneBucket); !ok {
			return false
		}
	}
	return ok && (aggTypeOf(string(chain[len(chain)-1].Kind)).holds != manyBuckets || part == BucketCount)
}
