// This file computes pipeline aggregations from the buckets of others.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// watcher holds the values that sibling pipelines read of the buckets of an aggregation.
type watcher struct {
	paths  []string
	values [][]float64 // by path, of each bucket of the last result
	names  []string    // JSON strings
}

// watch finds the pipelines of a list and of its sub-aggregations, and the values that they read.
func (a *aggregator) watch(list []query.Agg, path string) {
	for i := range list {
		agg := &list[i]
		a.watch(agg.Subs, path+"."+agg.Name+".aggs")
		if p, ok := agg.Options.(*query.Pipeline); ok && p.Format != "" {
			text, err := numberFormat(&query.Agg{Kind: agg.Kind, Values: query.AggValues{Format: p.Format}}, path+"."+agg.Name)
			if a.work.Fail(err); a.formats == nil {
				a.formats = map[*query.Agg]numberText{}
			}
			a.formats[agg] = text
		}
		if !agg.Sibling() {
			continue
		}
		name, rest, _ := strings.Cut(agg.Options.(*query.Pipeline).Path, ">")
		at := path + "." + name + ".aggs"
		w := a.watchers[at]
		if w == nil {
			w = &watcher{}
			if a.watchers == nil {
				a.watchers = map[string]*watcher{}
			}
			a.watchers[at] = w
		}
		if !slices.Contains(w.paths, rest) {
			w.paths = append(w.paths, rest)
			w.values = append(w.values, nil)
		}
	}
}

// ordered is the order of buckets in the result, and the values that pipelines add to them.
type ordered struct {
	order  []int // nil means all buckets in their order
	added  [][]float64
	widths [][]float64 // of derivatives with a unit: the distance between the keys of two buckets
	cells  []cells     // results of sub-aggregations, which pipelines read
}

// arrange computes the pipelines inside buckets.
func (s *subs) arrange(bs buckets, all []cells) ordered {
	o := ordered{cells: all}
	for i := range s.list {
		agg := &s.list[i]
		p, ok := agg.Options.(*query.Pipeline)
		if !ok || agg.Sibling() {
			continue
		}
		if o.order == nil {
			o.added, o.widths = make([][]float64, len(s.list)), make([][]float64, len(s.list))
			o.order = s.a.memory.ints.list(bs.n)
			for i := range o.order {
				o.order[i] = i
			}
		}
		switch agg.Kind {
		case query.AggBucketSort:
			s.sort(&o, p, bs)
		case query.AggBucketSelector:
			s.choose(&o, p, bs)
		case query.AggBucketScript:
			o.added[i] = s.script(&o, p, bs)
		case query.AggSerialDiff:
			o.added[i] = s.serialDiff(&o, p, bs)
		default:
			o.added[i], o.widths[i] = s.derive(agg.Kind, &o, p, bs)
		}
		if s.a.work.Charge(bs.n) != nil {
			break
		}
	}
	return o
}

// absent is the number of a pipeline for a bucket to which it adds nothing.
var absent = math.Inf(1)

// read returns a number for each bucket. An empty bucket is a gap: zero or NaN.
func (s *subs) read(o *ordered, path string, zeros bool, bs buckets) []float64 {
	counts := s.a.counts(bs)
	if path == orderCount {
		return counts
	}
	var values []float64
	chain, part, _ := query.ResolveBucketsPath(s.list, path)
	if chain[0].IsPipeline() {
		for i := range s.list {
			if &s.list[i] == chain[0] {
				values = s.a.memory.floats.copy(o.added[i])
			}
		}
	} else if values = s.recorded(o.cells, path); values == nil {
		if values = s.numbers(path, bs); part == orderCount || s.a.work.Failed() != nil {
			return values
		}
	}
	for i, v := range values {
		if v == absent && chain[0].IsPipeline() {
			continue
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || counts[i] == 0 {
			if values[i] = math.NaN(); zeros {
				values[i] = 0
			}
		}
	}
	return values
}

// records are the values of a metric, one for each bucket. A pipeline reads them.
type records struct {
	path, part string
	values     []float64
}

// record stores the metric of the next bucket for pipelines.
func (c *cells) record(m *metric) {
	for k := range c.records {
		c.records[k].values = append(c.records[k].values, m.value(c.records[k].part))
	}
}

// recordAll stores the metric of each bucket for pipelines.
func (c *cells) recordAll(of *columnEvaluator, m *metric, bs buckets) {
	if len(c.records) == 0 {
		return
	}
	for b := range bs.n {
		of.feed(bs, b)
		c.record(m)
		m.reset()
		if of.a.work.Charge(bucketSteps) != nil {
			return
		}
	}
}

// keepsFew reports whether a pipeline keeps less than half of n buckets. Then the values that pipelines read are
// recorded first, and the results of the kept buckets are computed in a second pass.
func (s *subs) keepsFew(n int) bool {
	return slices.ContainsFunc(s.list, func(agg query.Agg) bool {
		p, ok := agg.Options.(*query.Pipeline)
		return ok && agg.Kind == query.AggBucketSort && 0 < p.Size && 2*p.Size < n
	})
}

// recorded returns the recorded values of a path, or nil without a record.
func (s *subs) recorded(all []cells, path string) []float64 {
	for i := range all {
		for _, n := range all[i].records {
			if n.path == path {
				return s.a.memory.floats.copy(n.values)
			}
		}
	}
	return nil
}

// recordsFor returns the records that pipelines read of the aggregation i, with room for n buckets.
func (s *subs) recordsFor(i, n int) (notes []records) {
	add := func(path string) {
		if chain, part, _ := query.ResolveBucketsPath(s.list, path); len(chain) == 1 && chain[0] == &s.list[i] {
			notes = append(notes, records{path: path, part: part, values: s.a.memory.floats.list(n)[:0]})
		}
	}
	for k := range s.list {
		p, ok := s.list[k].Options.(*query.Pipeline)
		if !ok || s.list[k].Sibling() {
			continue
		}
		add(p.Path)
		for _, path := range p.Paths {
			add(path.Path)
		}
		for _, by := range p.Sort {
			add(by.Path)
		}
	}
	if s.watch != nil {
		for _, path := range s.watch.paths {
			add(path)
		}
	}
	return notes
}

func (s *subs) derive(kind query.AggKind, o *ordered, p *query.Pipeline, bs buckets) (out, widths []float64) {
	values := s.read(o, p.Path, p.Zeros || kind == query.AggCumulativeSum, bs)
	out = s.a.memory.floats.list(bs.n)
	if s.a.work.Failed() != nil {
		return out, nil
	}
	if p.Unit > 0 {
		widths = s.a.memory.floats.list(bs.n)
	}
	sum, last, before := 0.0, absent, 0
	for _, i := range o.order {
		v := values[i]
		if kind == query.AggCumulativeSum {
			if !math.IsNaN(v) && v != absent {
				sum += v
			}
			out[i] = sum
			continue
		}
		if out[i] = absent; last != absent && v != absent {
			out[i] = v - last
			if widths != nil {
				widths[i] = bs.at(i) - bs.at(before)
			}
		}
		last, before = v, i
	}
	return out, widths
}

// serialDiff subtracts from each number the number some buckets before.
func (s *subs) serialDiff(o *ordered, p *query.Pipeline, bs buckets) []float64 {
	values := s.read(o, p.Path, p.Zeros, bs)
	out := s.a.memory.floats.list(bs.n)
	for k, i := range o.order {
		out[i] = absent
		if k < p.Lag || s.a.work.Failed() != nil {
			continue
		}
		if v, before := values[i], values[o.order[k-p.Lag]]; !math.IsNaN(v) && !math.IsNaN(before) && v != absent && before != absent {
			out[i] = v - before
		}
	}
	return out
}

func (s *subs) sort(o *ordered, p *query.Pipeline, bs buckets) {
	values := make([][]float64, len(p.Sort))
	keyed := len(p.Sort) == 0
	for k, by := range p.Sort {
		if by.Path == orderKey {
			keyed = true
		} else if values[k] = s.read(o, by.Path, p.Zeros, bs); s.a.work.Failed() != nil {
			return
		}
	}
	if !keyed { // a bucket without any value is left out
		o.order = slices.DeleteFunc(o.order, func(i int) bool {
			return !slices.ContainsFunc(values, func(v []float64) bool { return !math.IsNaN(v[i]) && v[i] != absent })
		})
	}
	if s.a.work.Charge(len(o.order)*bits.Len(uint(len(o.order)))*(1+len(p.Sort))) != nil {
		return
	}
	slices.SortStableFunc(o.order, func(i, j int) int {
		for k, by := range p.Sort {
			c := 0
			if by.Path == orderKey {
				c = directed(bs.key(i, j), by.Asc)
			} else {
				c = compareValues(values[k][i], values[k][j], by.Asc)
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	o.order = o.order[min(p.From, len(o.order)):]
	if p.Size > 0 {
		o.order = o.order[:min(p.Size, len(o.order))]
	}
}

// record keeps the values that sibling pipelines read.
func (s *subs) record(o *ordered, bs buckets) {
	w := s.watch
	w.names = w.names[:0]
	pick := func(values []float64) []float64 {
		if o.order == nil || values == nil {
			return values
		}
		out := make([]float64, len(o.order))
		for k, i := range o.order {
			out[k] = values[i]
		}
		return out
	}
	for k, path := range w.paths {
		// Gaps are NaN; a pipeline that reads them as zeros finds them by that.
		if w.values[k] = pick(s.read(o, path, false, bs)); s.a.work.Failed() != nil {
			return
		}
	}
	for i := range bs.n {
		if o.order == nil {
			w.names = append(w.names, string(bs.name(nil, i)))
		} else if i < len(o.order) {
			w.names = append(w.names, string(bs.name(nil, o.order[i])))
		}
	}
	s.a.work.Charge(bs.n * bucketSteps)
}

// readers returns the pipelines that read the buckets of an aggregation.
func (s *subs) readers(i int) (list []int) {
	if s.a.watchers == nil {
		return nil
	}
	for k := range s.list {
		if agg := &s.list[k]; agg.Sibling() {
			if name, _, _ := strings.Cut(agg.Options.(*query.Pipeline).Path, ">"); name == s.list[i].Name {
				list = append(list, k)
			}
		}
	}
	return list
}

// sibling writes the result of a pipeline from the last result of the aggregation that it reads.
func (s *subs) sibling(dst []byte, i int) []byte {
	agg := &s.list[i]
	p := agg.Options.(*query.Pipeline)
	name, rest, _ := strings.Cut(p.Path, ">")
	w := s.a.watchers[s.path+"."+name+".aggs"]
	values := w.values[slices.Index(w.paths, rest)]
	m := &extendedStats{metric: metric{kind: query.AggStats, s: &valuesSource{}}, sigma: p.Sigma}
	m.reset()
	m.text = s.a.formats[agg]
	best, names, met := math.NaN(), []string(nil), []float64(nil)
	for k, v := range values {
		if math.IsNaN(v) && p.Zeros {
			v = 0
		}
		if math.IsNaN(v) || v == absent {
			continue
		}
		m.count++
		m.sum.sum += v
		m.squares.sum += float64(v * v)
		if agg.Kind == query.AggPercentilesBucket {
			met = append(met, v)
		}
		m.min, m.max = min(m.min, v), max(m.max, v)
		c := cmp.Compare(v, best)
		if agg.Kind == query.AggMinBucket {
			c = -c
		}
		if math.IsNaN(best) || c > 0 {
			best, names = v, nil
		}
		if v == best {
			names = append(names, w.names[k])
		}
	}
	if s.a.work.Charge(len(values)) != nil {
		return nil
	}
	v := m.sum.sum
	switch agg.Kind {
	case query.AggStatsBucket:
		return m.appendStats(dst)
	case query.AggExtendedStatsBucket:
		return m.finish(dst, nil)
	case query.AggPercentilesBucket:
		if s.a.work.Charge(len(met)*bits.Len(uint(len(met)))) != nil {
			return nil
		}
		slices.Sort(met)
		return appendPercents(dst, met, p, m.text)
	case query.AggAvgBucket:
		v = m.sum.sum / float64(m.count)
	case query.AggMinBucket, query.AggMaxBucket:
		v = best
	}
	dst = appendValue(dst, v, m.text)
	if agg.Kind == query.AggMinBucket || agg.Kind == query.AggMaxBucket {
		dst = append(dst[:len(dst)-1], `,"keys":[`...)
		for k, name := range names {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, name...)
		}
		dst = append(dst, "]}"...)
	}
	return dst
}

// appendPercents writes percentiles of sorted numbers. Each percentile is one of the numbers.
func appendPercents(dst []byte, met []float64, p *query.Pipeline, text numberText) []byte {
	open, end := "{", "}}"
	if p.List {
		open, end = "[", "]}"
	}
	dst = append(append(dst, `{"values":`...), open...)
	for i, percent := range p.Percents {
		if i > 0 {
			dst = append(dst, ',')
		}
		key := string(appendDouble(nil, percent))
		if p.List {
			dst = append(append(append(dst, `{"key":`...), key...), `,"value":`...)
		} else {
			dst = append(append(append(dst, '"'), key...), `":`...)
		}
		if len(met) == 0 {
			dst = append(dst, "null"...)
		} else {
			v := met[int(math.Floor(float64(percent/100*float64(len(met)-1))+0.5))]
			dst = appendDouble(dst, v)
			if text != nil { // Elasticsearch uses this name in arrays too
				dst = text(append(append(append(dst, `,"`...), key...), `_as_string":`...), v)
			}
		}
		if p.List {
			dst = append(dst, '}')
		}
	}
	return append(dst, end...)
}

// appendNormalized adds the number for a unit to the value of a derivative.
func appendNormalized(dst []byte, v float64, text numberText) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst[:len(dst)-1], `,"normalized_value":null}`...)
	}
	dst = appendDouble(append(dst[:len(dst)-1], `,"normalized_value":`...), v)
	if text != nil {
		dst = text(append(dst, `,"normalized_value_as_string":`...), v)
	}
	return append(dst, '}')
}

// appendValue writes a number of a pipeline, and its text by a format.
func appendValue(dst []byte, v float64, text numberText) []byte {
	if math.IsInf(v, 0) {
		v = math.NaN()
	}
	return text.single(dst, v)
}
