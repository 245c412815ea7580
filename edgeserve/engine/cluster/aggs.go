// This file writes aggregations again: with the members that a snapshot writes, in its order, from the members that the
// response has.

package cluster

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
	"contentedge/edgeserve/wire/envelope"
)

// bucketsMember is the member with the buckets of an aggregation.
const bucketsMember = "buckets"

// form says which members an aggregation has in a response, in their order.
type form struct {
	members []string // of the aggregation; only the first one and buckets are always there
	bucket  []string // of each of its buckets, in front of sub-aggregations
}

var (
	single       = form{members: []string{"value", "value_as_string"}}
	stats        = form{members: slices.Concat([]string{"count"}, statsNumbers, texts(statsNumbers))}
	statsNumbers = []string{"min", "max", "avg", "sum"}

	extended        = form{members: slices.Concat(stats.members, extendedNumbers, []string{"std_deviation_bounds"}, texts(extendedNumbers), []string{"std_deviation_bounds_as_string"})}
	extendedNumbers = []string{"sum_of_squares", "variance", "variance_population", "variance_sampling", "std_deviation", "std_deviation_population", "std_deviation_sampling"}

	histogram = form{members: []string{bucketsMember}, bucket: []string{"key_as_string", "key", countMember}}
	ranges    = form{members: []string{bucketsMember}, bucket: []string{"key", "from", "from_as_string", "to", "to_as_string", countMember}}
	one       = form{members: []string{countMember}}
	values    = form{members: []string{"values"}}
	extreme   = form{members: []string{"value", "value_as_string", "keys"}}
)

// errorBound is how many documents of a term may not be counted.
const errorBound = "doc_count_error_upper_bound"

// countMember is the number of documents of a bucket.
const countMember = "doc_count"

// forms are the forms of all types but top_hits, which is written as hits are.
var forms = map[query.AggKind]form{
	query.AggTerms:            {members: []string{errorBound, "sum_other_doc_count", bucketsMember}, bucket: []string{"key", "key_as_string", countMember, errorBound}},
	query.AggRareTerms:        {members: []string{bucketsMember}, bucket: []string{"key", "key_as_string", countMember}},
	query.AggSignificantTerms: {members: []string{countMember, "bg_count", bucketsMember}, bucket: []string{"key", "key_as_string", countMember, "score", "bg_count"}},
	query.AggAdjacency:        {members: []string{bucketsMember}, bucket: []string{"key", countMember}},
	query.AggComposite:        {members: []string{"after_key", bucketsMember}, bucket: []string{"key", countMember}},
	query.AggAutoDates:        {members: []string{bucketsMember, "interval"}, bucket: histogram.bucket},
	query.AggFilters:          {members: []string{bucketsMember}, bucket: []string{countMember}},
	query.AggDateHistogram:    histogram,
	query.AggHistogram:        histogram,
	query.AggRange:            ranges,
	query.AggDateRange:        ranges,
	query.AggFilter:           one,
	query.AggMissing:          one,
	query.AggGlobal:           one,
	query.AggSampler:          one,

	query.AggValueCount:              single,
	query.AggCardinality:             single,
	query.AggMin:                     single,
	query.AggMax:                     single,
	query.AggAvg:                     single,
	query.AggSum:                     single,
	query.AggMedianAbsoluteDeviation: single,
	query.AggWeightedAvg:             single,
	query.AggStats:                   stats,
	query.AggExtendedStats:           extended,
	query.AggPercentiles:             values,
	query.AggPercentileRanks:         values,

	query.AggAvgBucket:           single,
	query.AggSumBucket:           single,
	query.AggMinBucket:           extreme,
	query.AggMaxBucket:           extreme,
	query.AggStatsBucket:         stats,
	query.AggExtendedStatsBucket: extended,
	query.AggPercentilesBucket:   values,
	query.AggBucketScript:        single,
	query.AggCumulativeSum:       single,
	query.AggSerialDiff:          single,
	query.AggDerivative:          {members: []string{"value", "value_as_string", "normalized_value", "normalized_value_as_string"}},
}

// texts returns the names of the texts of numbers.
func texts(numbers []string) (names []string) {
	for _, n := range numbers {
		names = append(names, n+"_as_string")
	}
	return names
}

// aggregations writes the aggregations of a response.
func (e *evaluation) aggregations(v []byte) []byte {
	dst := e.appendAll([]byte{'{'}, e.body.Aggs, e.found(v, e.body.Aggs))
	e.wrote(dst)
	return append(dst, '}')
}

// wrote limits the bytes of the aggregations so far, and takes memory for them: a growing result is copied.
func (e *evaluation) wrote(dst []byte) {
	if n := len(dst) - e.written; n > 0 {
		e.hold(2 * n)
		e.written = len(dst)
	}
	if len(dst) > aggs.MaxBytes && e.err == nil {
		e.err = aggs.ErrTooLong
	}
}

// found finds the results of a list among the members of an object, by the names that encode.Ordinals gives.
func (e *evaluation) found(v []byte, list []query.Agg) [][]byte {
	results := make([][]byte, len(list))
	for name, v := range e.members(v, "aggregations") {
		if i, ok := encode.Ordinal(name); ok && i < len(list) {
			results[i] = v
		}
	}
	return results
}

// appendAll writes the results of a list as members, the results of pipelines after the aggregations whose buckets they
// read: as a snapshot writes them at the top and in single buckets.
func (e *evaluation) appendAll(dst []byte, list []query.Agg, results [][]byte) []byte {
	for i := range list {
		if list[i].IsPipeline() {
			continue
		}
		dst = e.appendNamed(dst, &list[i], results[i])
		for k := range list {
			if reads(&list[k], &list[i]) {
				dst = e.appendNamed(dst, &list[k], results[k])
			}
		}
	}
	return dst
}

// reads reports whether a pipeline computes its result from the buckets of an aggregation at the same level.
func reads(pipeline, of *query.Agg) bool {
	if !pipeline.Sibling() {
		return false
	}
	name, _, _ := strings.Cut(pipeline.Options.(*query.Pipeline).Path, ">")
	return name == of.Name
}

// appendNamed writes a result as a member, with a comma before it unless it is the first one.
func (e *evaluation) appendNamed(dst []byte, agg *query.Agg, v []byte) []byte {
	if v == nil {
		e.fail("an aggregation of type %s is missing", agg.Kind)
		return dst
	}
	dst = separate(dst)
	name := agg.Typed
	if name == "" {
		name = agg.Name
	}
	return e.appendResult(append(envelope.JavaEscapes.AppendString(dst, name), ':'), agg, v)
}

// appendResult writes the result of an aggregation.
func (e *evaluation) appendResult(dst []byte, agg *query.Agg, v []byte) []byte {
	if dst = append(dst, '{'); agg.Meta != "" {
		dst = append(append(dst, `"meta":`...), agg.Meta...)
	}
	if agg.Kind == query.AggTopHits {
		return append(e.appendTopHits(dst, agg, v), '}')
	}
	f, ok := forms[agg.Kind]
	if !ok {
		e.fail("an aggregation of type %s has no form", agg.Kind)
		return dst
	}
	found := make([][]byte, len(f.members))
	for name, v := range e.members(v, "an aggregation") {
		if i := slices.Index(f.members, string(name)); i >= 0 && found[i] == nil {
			found[i] = v
		}
	}
	for i, name := range f.members {
		if found[i] == nil {
			if name == bucketsMember || i == 0 && agg.Kind != query.AggComposite {
				e.fail("an aggregation of type %s has no %s", agg.Kind, name)
			}
			continue
		}
		dst = separate(dst)
		dst = append(append(append(dst, '"'), name...), `":`...)
		switch {
		case name == errorBound && e.x.shards > 1 && string(found[i]) != "0":
			e.tell(translate.TermsLeft)
		case agg.Kind == query.AggCardinality && isAbove(found[i], translate.ExactCount):
			e.tell(translate.DistinctValues)
		}
		if name == bucketsMember {
			dst = e.appendBuckets(dst, agg, f.bucket, found[i])
		} else {
			dst = e.appendValue(dst, found[i], 0)
		}
	}
	if agg.Kind.Bucketing() == query.OneBucket {
		dst = e.appendAll(dst, agg.Subs, e.found(v, agg.Subs))
	}
	return append(dst, '}')
}

// isAbove reports whether a value is not a number up to a limit.
func isAbove(v []byte, limit float64) bool {
	n, err := strconv.ParseFloat(string(v), 64)
	return err != nil || n > limit
}

// separate writes a comma, unless an object has just been opened.
func separate(dst []byte) []byte {
	if dst[len(dst)-1] == '{' {
		return dst
	}
	return append(dst, ',')
}

// maxValue limits how deep the value of a member nests: percentiles are an array of objects.
const maxValue = 4

// appendValue writes a value whose members keep their order.
func (e *evaluation) appendValue(dst, v []byte, depth int) []byte {
	if depth > maxValue {
		e.fail("a value of an aggregation nests too deep")
		return dst
	}
	switch {
	case len(v) > 0 && v[0] == '{':
		dst = append(dst, '{')
		for name, v := range e.members(v, "a value") {
			dst = append(envelope.JavaEscapes.AppendBytes(separate(dst), name), ':')
			dst = e.appendValue(dst, v, depth+1)
		}
		return append(dst, '}')
	case len(v) > 0 && v[0] == '[':
		dst = append(dst, '[')
		first := true
		for v := range e.elements(v, "a value") {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = e.appendValue(dst, v, depth+1)
		}
		return append(dst, ']')
	}
	return e.appendScalar(dst, v, 64, "a value of an aggregation")
}

// appendBuckets writes the buckets of an aggregation: an array, or an object with names.
func (e *evaluation) appendBuckets(dst []byte, agg *query.Agg, heads []string, v []byte) []byte {
	if len(v) > 0 && v[0] == '[' {
		dst = append(dst, '[')
		first := true
		for v := range e.elements(v, bucketsMember) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = e.appendBucket(dst, agg, heads, v)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for name, v := range e.members(v, bucketsMember) {
		dst = append(envelope.JavaEscapes.AppendBytes(separate(dst), name), ':')
		dst = e.appendBucket(dst, agg, heads, v)
	}
	return append(dst, '}')
}

// appendBucket writes a bucket.
func (e *evaluation) appendBucket(dst []byte, agg *query.Agg, heads []string, v []byte) []byte {
	if e.buckets++; e.buckets > query.MaxBuckets && e.err == nil {
		e.err = aggs.ErrTooManyBuckets
	}
	var found [8][]byte
	results := make([][]byte, len(agg.Subs))
	for name, v := range e.members(v, "a bucket") {
		if i := slices.Index(heads, string(name)); i >= 0 && found[i] == nil {
			found[i] = v
		} else if i, ok := encode.Ordinal(name); ok && i < len(results) {
			results[i] = v
		}
	}
	dst = append(dst, '{')
	for i, name := range heads {
		switch {
		case found[i] != nil:
			dst = separate(dst)
			dst = append(append(append(dst, '"'), name...), `":`...)
			dst = e.appendValue(dst, found[i], 0)
		case name == countMember:
			e.fail("a bucket has no %s", name)
		}
	}
	if agg.Kind == query.AggFilters {
		dst = e.appendAll(dst, agg.Subs, results)
	} else {
		for i := range agg.Subs {
			if sub := &agg.Subs[i]; results[i] != nil || !sub.IsPipeline() || sub.Sibling() {
				dst = e.appendNamed(dst, sub, results[i])
			}
		}
	}
	e.wrote(dst)
	return append(dst, '}')
}

// appendTopHits writes the first hits of a bucket.
func (e *evaluation) appendTopHits(dst []byte, agg *query.Agg, v []byte) []byte {
	body := agg.Options.(*query.Body)
	page, total := e.page(e.member(v, "hits"), body)
	if e.err != nil {
		return dst
	}
	scored := body.Order.TrackScores || body.Order.Keys == nil && body.Window.After == nil
	if !scored {
		page.Best = float32(math.NaN())
	}
	w := hits.NewWriter(e.x.twin.Meta().Env, body)
	w.HideScores = !scored
	dst = hits.AppendTotal(append(separate(dst), `"hits":{`...), total, e.body.Totals.AsInt)
	dst = hits.AppendScore(append(dst, `"max_score":`...), page.Best)
	out, err := w.AppendAll(append(dst, `,"hits":`...), &page, e.work)
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return dst
	}
	return append(out, '}')
}
