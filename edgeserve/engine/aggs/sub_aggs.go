// This file computes the aggregations inside buckets.

package aggs

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// subs are the aggregations of one scope.
type subs struct {
	a    *aggregator
	list []query.Agg
	path string
	in   scope
	made []evaluator // kept if they are computed for several sets

	paths map[string]evaluator // by the path of an order, kept if they are computed for several sets
	all   []cells              // of the last buckets
	watch *watcher             // of the buckets that contain these aggregations; nil if no pipeline reads them
}

func (a *aggregator) subs(list []query.Agg, path string, in scope) *subs {
	return &subs{a: a, list: list, path: path, in: in, watch: a.watchers[path]}
}

// inside returns the aggregations inside an aggregation.
func (a *aggregator) inside(agg *query.Agg, path string, in scope) *subs {
	in.many = in.many || divides(agg)
	return a.subs(agg.Subs, path+".aggs", in)
}

// empty reports whether the buckets have no sub-aggregations and no pipeline reads them.
func (s *subs) empty() bool { return len(s.list) == 0 && s.watch == nil }

func (s *subs) pathOf(i int) string { return s.path + "." + s.list[i].Name }

func (s *subs) at(i int) evaluator {
	if !s.in.nested {
		return s.a.newEvaluator(&s.list[i], s.pathOf(i), s.in)
	}
	if s.made == nil {
		s.made = make([]evaluator, len(s.list))
	}
	if s.made[i] == nil {
		s.made[i] = s.a.newEvaluator(&s.list[i], s.pathOf(i), s.in)
	}
	return s.made[i]
}

// members writes the results for one set as members of an object, without braces.
func (s *subs) members(dst []byte, set *scorer.Bitset) []byte {
	from := len(dst)
	next := func(i int) {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(appendName(dst, &s.list[i]), ':')
	}
	for i := range s.list {
		if s.list[i].IsPipeline() {
			continue
		}
		e := s.at(i)
		if s.a.work.Failed() != nil {
			return nil
		}
		next(i)
		if dst = s.one(dst, i, e, set); s.a.work.Failed() != nil {
			return nil
		}
		for _, k := range s.readers(i) {
			next(k)
			at := len(dst)
			if dst = s.meta(s.sibling(dst, k), k, at); s.a.work.Failed() != nil {
				return nil
			}
		}
	}
	return dst
}

// one writes the result of an evaluator, with its meta.
func (s *subs) one(dst []byte, i int, e evaluator, set *scorer.Bitset) []byte {
	from := len(dst)
	return s.meta(e.evaluate(dst, set), i, from)
}

// meta puts the meta of an aggregation into the result that begins at from.
func (s *subs) meta(dst []byte, i, from int) []byte {
	if s.list[i].Meta == "" || s.a.work.Failed() != nil {
		return dst
	}
	member := `"meta":` + s.list[i].Meta
	if dst[from+1] != '}' {
		member += ","
	}
	return slices.Insert(dst, from+1, []byte(member)...)
}

func appendName(dst []byte, agg *query.Agg) []byte {
	if agg.Typed != "" {
		return appendJSONString(dst, agg.Typed)
	}
	return appendJSONString(dst, agg.Name)
}

// buckets are parts of a set, which may share documents.
type buckets struct {
	n    int
	set  *scorer.Bitset // the documents of all buckets
	walk func(i int, f func(docs []docID))
	size func(i int) int                // number of documents; nil means that walk counts them
	key  func(i, j int) int             // compares keys
	name func(dst []byte, i int) []byte // writes a key as a JSON string
	at   func(i int) float64            // a key as a number; nil if keys are not numbers
	gap  func(i int) bool               // reports whether a bucket fills a gap; nil if no bucket does
	one  bool                           // the only bucket has all documents
}

// whole returns buckets with one bucket, the whole set.
func (a *aggregator) whole(set *scorer.Bitset) buckets {
	return buckets{n: 1, set: set, walk: func(_ int, f func([]docID)) { a.counter.each(set, f) }, one: true}
}

// appendBuckets writes buckets with sub-aggregations. head writes bucket i up to them.
func (a *aggregator) appendBuckets(dst []byte, s *subs, bs buckets, head func(dst []byte, i int) []byte) []byte {
	if !s.piped() {
		return s.appendEach(dst, bs, head)
	}
	cells := s.cells(len(dst), bs)
	var o ordered
	if a.work.Failed() == nil {
		o = s.arrange(bs, cells)
	}
	if s.watch != nil && a.work.Failed() == nil {
		s.record(&o, bs)
	}
	if a.work.Failed() != nil {
		return nil
	}
	n := bs.n
	if o.order != nil {
		n = len(o.order)
	}
	for k := range n {
		i := k
		if o.order != nil {
			i = o.order[k]
		}
		from := len(dst)
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(s.appendCells(head(dst, i), cells, &o, bs, i), '}')
		if a.wrote(from, len(dst)) != nil {
			return nil
		}
	}
	s.free(cells)
	return dst
}

// piped reports whether pipelines read the buckets.
func (s *subs) piped() bool {
	for i := range s.list {
		if s.list[i].IsPipeline() {
			return true
		}
	}
	return s.watch != nil || s.a.watchers != nil
}

// appendEach is appendBuckets without pipelines: it writes one bucket after the other.
func (s *subs) appendEach(dst []byte, bs buckets, head func(dst []byte, i int) []byte) []byte {
	a, inner := s.a, s.inner(bs)
	for i := range s.list {
		if inner.at(i); a.work.Failed() != nil { // even without buckets
			return nil
		}
	}
	outer := a.gap
	defer func() { a.gap = outer }()
	for b := range bs.n {
		from := len(dst)
		if b > 0 {
			dst = append(dst, ',')
		}
		dst = head(dst, b)
		a.gap = outer || bs.gap != nil && bs.gap(b)
		for i := range s.list {
			dst = append(appendName(append(dst, ','), &s.list[i]), ':')
			at := len(dst)
			e := inner.at(i)
			dst = s.meta(s.result(dst, e, s.streamOf(e, i), bs, b), i, at)
		}
		a.gap = outer
		if dst = append(dst, '}'); a.wrote(from, len(dst)) != nil {
			return nil
		}
	}
	return dst
}

// streamOf returns an evaluator as a streamer, or nil if the evaluator needs the sets of buckets.
func (s *subs) streamOf(e evaluator, i int) streamer {
	stream, ok := e.(streamer)
	if !ok || len(s.list[i].Subs) > 0 || s.readers(i) != nil {
		return nil
	}
	return stream
}

// result writes the result of an evaluator for a bucket.
func (s *subs) result(dst []byte, e evaluator, stream streamer, bs buckets, b int) []byte {
	if stream != nil {
		return stream.stream(dst, bs, b)
	}
	if bs.one {
		dst = e.evaluate(dst, bs.set)
	} else {
		dst = e.evaluate(dst, s.a.part(bs, b))
		s.a.depth--
	}
	s.a.work.Charge(againSteps)
	return dst
}

// cells computes all aggregations for all buckets. before is the length of the result so far.
func (s *subs) cells(before int, bs buckets) []cells {
	a := s.a
	a.bytes += before
	if s.all == nil {
		s.all = make([]cells, len(s.list))
	}
	all := s.all
	clear(all)
	for i := range s.list {
		if s.list[i].IsPipeline() {
			continue
		}
		if s.column(all, i, bs); a.work.Failed() != nil {
			break
		}
		a.bytes += len(all[i].buf)
		for _, k := range s.readers(i) {
			a.bytes += len(all[k].buf)
		}
	}
	a.bytes -= before
	return all
}

// free gives back cells whose bytes have been copied.
func (s *subs) free(all []cells) {
	for i := range all {
		s.a.bytes -= len(all[i].buf)
		s.a.memory.give(all[i])
	}
}

func (s *subs) appendCells(dst []byte, all []cells, o *ordered, bs buckets, i int) []byte {
	for k := range all {
		agg := &s.list[k]
		if agg.IsPipeline() && !agg.Sibling() {
			if o.added[k] != nil && o.added[k][i] != absent {
				dst = append(appendName(append(dst, ','), agg), ':')
				from := len(dst)
				text := s.a.formats[agg]
				dst = appendValue(dst, o.added[k][i], text)
				if p := agg.Options.(*query.Pipeline); p.Unit > 0 && o.widths[k][i] > 0 {
					dst = appendNormalized(dst, o.added[k][i]/(o.widths[k][i]/p.Unit), text)
				}
				dst = s.meta(dst, k, from)
			}
			continue
		}
		dst = append(appendName(append(dst, ','), agg), ':')
		if e := all[k].late; e != nil {
			from := len(dst)
			dst = s.meta(e.stream(dst, bs, i), k, from)
			continue
		}
		dst = append(dst, all[k].at(i)...)
	}
	return dst
}

// column computes one aggregation for all buckets, and the pipelines that read it.
func (s *subs) column(all []cells, i int, bs buckets) {
	a, c := s.a, &all[i]
	e := s.inner(bs).at(i)
	readers := s.readers(i)
	if a.work.Failed() != nil {
		return
	}
	*c = a.memory.buffer()
	stream := s.streamOf(e, i)
	of, metric := metricOf(e)
	if metric != nil {
		c.records = s.recordsFor(i, bs.n)
	}
	if _, hits := e.(*topHits); (hits || metric != nil) && s.keepsFew(bs.n) {
		c.late = stream
		c.recordAll(of, metric, bs)
		return
	}
	outer := a.gap
	defer func() { a.gap = outer }()
	for b := range bs.n {
		from := len(c.buf)
		a.gap = outer || bs.gap != nil && bs.gap(b)
		if len(c.records) > 0 {
			of.feed(bs, b)
			c.record(metric)
			c.buf = of.finish(c.buf, nil)
		} else {
			c.buf = s.result(c.buf, e, stream, bs, b)
		}
		c.buf = s.meta(c.buf, i, from)
		for _, k := range readers {
			if a.work.Failed() != nil {
				return
			}
			r := &all[k]
			from := len(r.buf)
			r.buf = s.meta(s.sibling(r.buf, k), k, from)
			r.end(a)
		}
		if c.end(a) != nil {
			return
		}
	}
}

// inner returns the aggregations for the buckets of this scope, which are nested.
func (s *subs) inner(bs buckets) *subs {
	if s.in.nested {
		return s
	}
	return s.a.subs(s.list, s.path, scope{root: bs.set, nested: true, many: s.in.many})
}

// streamer computes an aggregation without others inside for a bucket, block by block.
type streamer interface {
	stream(dst []byte, bs buckets, i int) []byte
}

func (c *columnEvaluator) stream(dst []byte, bs buckets, i int) []byte {
	if c.feed(bs, i); c.a.work.Failed() != nil {
		return nil
	}
	return c.finish(dst, nil)
}

// part returns the set of a bucket. It is valid until depth is counted down.
func (a *aggregator) part(bs buckets, i int) *scorer.Bitset {
	set := a.emptyPart()
	bs.walk(i, set.add)
	set.set.Count = len(set.set.List)
	return &set.set
}

// emptyPart returns the next set in depth. It is valid until depth is counted down.
func (a *aggregator) emptyPart() *partSet {
	set := a.memory.part(a.depth, a.request.Items)
	switch {
	case a.depth == a.deepest:
		a.deepest++
		clear(set.set.Words)
		a.work.Charge(a.request.Items / 64)
	case 4*len(set.set.List) < len(set.set.Words):
		for _, d := range set.set.List {
			set.set.Words[d>>6] = 0
		}
	default:
		clear(set.set.Words)
		a.work.Charge(len(set.set.Words) / 8)
	}
	a.depth++
	set.set.List = set.set.List[:0]
	return set
}

// numbers returns a number for each bucket: the value at a path of query.ResolveBucketsPath.
func (s *subs) numbers(order string, bs buckets) []float64 {
	a := s.a
	chain, part, _ := query.ResolveBucketsPath(s.list, order)
	path := s.path
	for i, agg := range chain {
		if i > 0 {
			path += ".aggs"
		}
		path += "." + agg.Name
		if i == len(chain)-1 && part == query.BucketCount {
			return s.bucketCounts(agg, path, bs)
		}
		if i == len(chain)-1 && part != "_count" {
			return s.measure(agg, path, part, bs)
		}
		switch e := s.along(agg, path, bs).(type) {
		case single:
			bs = a.only(e, bs)
		case *sampler:
			bs = e.best(bs)
		default:
			return nil // the request has failed
		}
	}
	return a.counts(bs)
}

// counts returns how many documents each bucket has.
func (a *aggregator) counts(bs buckets) []float64 {
	out := a.memory.floats.list(bs.n)
	for i := range out {
		if bs.size != nil {
			out[i] = float64(bs.size(i))
			continue
		}
		bs.walk(i, func(docs []docID) { out[i] += float64(len(docs)) })
	}
	return out
}

// along returns an evaluator on the path of an order.
func (s *subs) along(agg *query.Agg, path string, bs buckets) evaluator {
	if e := s.paths[path]; e != nil {
		return e
	}
	in := s.inner(bs).in
	e := s.a.newEvaluator(agg, path, in)
	if s.in.nested {
		if s.paths == nil {
			s.paths = map[string]evaluator{}
		}
		s.paths[path] = e
	}
	return e
}

// measure returns a number of a metric for each bucket.
func (s *subs) measure(agg *query.Agg, path, part string, bs buckets) []float64 {
	a, e := s.a, s.along(agg, path, bs)
	if a.work.Failed() != nil {
		return nil
	}
	m, ok := e.(numbered)
	if !ok {
		a.work.Fail(badAgg(path, agg, "", "%s gives no number", agg.Kind))
		return nil
	}
	out := a.memory.floats.list(bs.n)
	for i := range out {
		if out[i] = m.number(part, bs, i); a.work.Failed() != nil {
			return nil
		}
	}
	return out
}

// numbered computes a number for a bucket.
type numbered interface {
	number(part string, bs buckets, i int) float64
}

// numbers is a collector with numbers to sort by.
type numbers interface {
	collector
	value(part string) float64
	reset()
}

func (c *columnEvaluator) number(part string, bs buckets, i int) float64 {
	m := c.collector.(numbers) // every collector that a path may reach implements it
	c.feed(bs, i)
	v := m.value(part)
	m.reset()
	return v
}

// only returns buckets that are limited to the documents of e.
func (a *aggregator) only(e single, bs buckets) buckets {
	var kept [blockLen]docID
	return buckets{n: bs.n, set: bs.set, walk: func(i int, f func([]docID)) {
		bs.walk(i, func(docs []docID) {
			n := 0
			for _, d := range docs {
				if e.has(d) {
					kept[n] = d
					n++
				}
			}
			f(kept[:n])
		})
	}}
}
