// This file draws and writes more aggregations, which only Lucene and Elasticsearch have too.

package queries

import (
	"cmp"
	"slices"
	"strconv"

	"bench/corpus"
	"contentedge/edgeserve/engine/analysis"
)

// More kinds of aggregations. The arguments of each begin with a field and a word in the field.
const (
	DateRanges    Kind = "dateranges" // field, word, field of dates, three bounds (Unix ms)
	Filters       Kind = "filters"    // field, word, field of names, two of its values, other word
	Missing       Kind = "missing"    // field, word, field of names
	RareTerms     Kind = "rare"       // field, word, field of names
	AutoDates     Kind = "autodates"  // field, word, field of dates
	ExtendedStats Kind = "extended"   // field, word, field of numbers
	WeightedAvg   Kind = "weighted"   // field, word, field of numbers, field of weights
	Ranks         Kind = "ranks"      // field, word, field of numbers, three numbers
	BestMonths    Kind = "bestmonths" // field, word, field of dates, field of numbers
	Changes       Kind = "changes"    // field, word, field of dates, field of numbers
	FiveLevels    Kind = "fivelevels" // field, word, five fields of names
)

// What Lucene is asked for too.
const (
	autoBuckets = 10
	bestMonths  = 5
	rarest      = 1 // the most items of a rare value
	changeText  = "#,##0.00"
)

// moreAggregation writes an aggregation of fields.
func moreAggregation(kind Kind, a []string) object {
	switch kind {
	case DateRanges:
		x, y, z := date(a[1]), date(a[2]), date(a[3])
		return object{"date_range": object{"field": a[0], "ranges": []any{object{"to": x}, object{"from": x, "to": y}, object{"from": y, "to": z}, object{"from": z}}}}
	case Filters:
		value := func(text string) object { return object{"term": object{a[1] + ".keyword": text}} }
		filters := object{"first": value(a[2]), "second": value(a[3]), "word": match(a[0], a[4])}
		return object{"filters": object{"filters": filters, "other_bucket_key": "others"}}
	case Missing:
		return object{"missing": object{"field": a[0] + ".keyword"}}
	case RareTerms:
		return object{"rare_terms": object{"field": a[0] + ".keyword", "max_doc_count": rarest}}
	case AutoDates:
		return object{"auto_date_histogram": object{"field": a[0], "buckets": autoBuckets}}
	case ExtendedStats:
		return object{"extended_stats": object{"field": a[0]}}
	case WeightedAvg:
		return object{"weighted_avg": object{"value": object{"field": a[0]}, "weight": object{"field": a[1]}}}
	case Ranks:
		return object{"percentile_ranks": object{"field": a[0], "values": []any{number(a[1]), number(a[2]), number(a[3])}}}
	case BestMonths:
		sort := object{"bucket_sort": object{"sort": []any{object{"mean": "desc"}}, "size": bestMonths}}
		return months(a, object{"mean": object{"avg": object{"field": a[1]}}, "best": sort})
	case Changes:
		change := object{"derivative": object{"buckets_path": "sum", "format": changeText}}
		return months(a, object{"sum": object{"sum": object{"field": a[1]}}, "change": change})
	}
	var levels object // FiveLevels
	for _, field := range slices.Backward(a) {
		level := object{"terms": object{"field": field + ".keyword"}}
		if levels != nil {
			level["aggs"] = object{"inner": levels}
		}
		levels = level
	}
	return levels
}

// months is a histogram by month with aggregations inside.
func months(a []string, inside object) object {
	return object{"date_histogram": object{"field": a[0], "calendar_interval": "month"}, "aggs": inside}
}

// bounds draws a word and three dates of items in their order.
func (d *drawer) bounds() []string {
	var dates []int64
	for range 3 {
		ms, ok := analysis.ParseDate(d.member(updatedField), false, nil)
		if !ok || slices.Contains(dates, ms) {
			return nil
		}
		dates = append(dates, ms)
	}
	slices.Sort(dates)
	args := append(d.words(d.regular), updatedField)
	for _, ms := range dates {
		args = append(args, strconv.FormatInt(ms, 10))
	}
	return args
}

// filters draws two words and two templates.
func (d *drawer) filters() []string {
	words := d.words(d.regular, d.regular)
	one, other := d.member(templateField), d.member(templateField)
	if one == other || one == "" || other == "" {
		return nil
	}
	return []string{words[0], words[1], words[0], templateField, one, other, words[2]}
}

// months draws a word, for the field of numbers by month.
func (d *drawer) months() []string {
	if d.number == "" {
		return nil
	}
	return append(d.words(d.regular), updatedField, d.number)
}

// secondNumber returns a field of numbers other than number, or number if it is the only one.
func secondNumber(number string, items [][]byte, fields corpus.Fields) string {
	others := slices.DeleteFunc(slices.Clone(fields), func(f corpus.Field) bool { return f.Path == number })
	return cmp.Or(mostNumbers(items, others), number)
}

// leastFrequent is the text that the fewest items have.
func leastFrequent(items [][]byte, texts []string) string {
	have := map[string]int{}
	for i := 0; i < len(items); i += max(1, len(items)/sampled) {
		for _, path := range texts {
			if len(values(items[i], path)) > 0 {
				have[path]++
			}
		}
	}
	return slices.MinFunc(texts, func(a, b string) int { return cmp.Compare(have[a], have[b]) })
}
