// This file draws and writes the queries that only Lucene and Elasticsearch have too.

package queries

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"bench/corpus"
	"contentedge/edgeserve/engine/analysis"
)

// What Lucene is asked for too.
const (
	slop         = 3 // of span_near and intervals
	decayScale   = "30d"
	tieBreaker   = 0.3
	demotion     = 0.5
	likeTerms    = 25 // of more_like_this
	likeWords    = 20
	significants = 10
)

// constructOf writes a body of a construct.
func constructOf(kind Kind, a []string) object {
	if b := searchOf(kind, a); b != nil {
		return b
	}
	switch kind {
	case FuzzyWord:
		return clause("fuzzy", object{a[0]: object{"value": a[1], "fuzziness": 1}})
	case Regexp:
		return clause("regexp", object{a[0]: object{"value": a[1]}})
	case BestFields:
		return clause("multi_match", object{"query": a[0] + " " + a[1], "fields": a[2:], "type": "best_fields"})
	case CrossFields:
		return clause("multi_match", object{"query": a[0] + " " + a[1], "fields": a[2:], "type": "cross_fields", "operator": "and"})
	case BoolPrefix:
		return clause("match_bool_prefix", object{a[0]: a[1] + " " + a[2]})
	case DisMax:
		return clause("dis_max", object{"queries": []any{match(a[0], a[1]), match(a[2], a[1])}, "tie_breaker": tieBreaker})
	case Boosting:
		return clause("boosting", object{"positive": match(a[0], a[1]), "negative": match(a[0], a[2]), "negative_boost": demotion})
	case Decay:
		return clause("function_score", object{"query": match(a[0], a[1]), "gauss": object{a[2]: object{"origin": date(a[3]), "scale": decayScale}}})
	case Factor:
		factor := object{"field": a[2], "modifier": "log1p", "missing": 1}
		return clause("function_score", object{"query": match(a[0], a[1]), "field_value_factor": factor})
	case MoreLike:
		return clause("more_like_this", object{"fields": []any{a[0]}, "like": a[1], "min_term_freq": 1, "min_doc_freq": 5, "max_query_terms": likeTerms, "minimum_should_match": 1})
	case SpanNear:
		clauses := []any{spanTerm(a[0], a[1]), spanTerm(a[0], a[2])}
		return clause("span_near", object{"clauses": clauses, "slop": slop, "in_order": true})
	case Intervals:
		return clause("intervals", object{a[0]: object{"match": object{"query": a[1] + " " + a[2], "max_gaps": slop, "ordered": true}}})
	}
	b := object{"query": match(a[0], a[1])}
	switch kind {
	case Highlight:
		b["highlight"] = object{"fields": object{a[0]: object{}}}
	case After:
		ms, _ := strconv.ParseInt(a[3], 10, 64)
		b["sort"], b["search_after"] = []any{object{a[2]: "desc"}, object{a[4] + ".keyword": "asc"}}, []any{ms, a[5]}
	case Collapse:
		b["collapse"] = object{"field": a[2] + ".keyword"}
	case DocvalueFields, WrittenFields, PostFilter, MinScore:
		setOption(b, kind, a)
	default:
		b["aggs"] = object{"values": aggregation(kind, a[2:])}
	}
	return b
}

// aggregation writes an aggregation of fields.
func aggregation(kind Kind, a []string) object {
	keyword := object{"field": a[0] + ".keyword"}
	switch kind {
	case Histogram:
		return object{"histogram": object{"field": a[0], "interval": number(a[1]), "min_doc_count": 1}}
	case Months:
		return object{"date_histogram": object{"field": a[0], "calendar_interval": "month"}}
	case Ranges:
		x, y, z := number(a[1]), number(a[2]), number(a[3])
		return object{"range": object{"field": a[0], "ranges": []any{object{"to": x}, object{"from": x, "to": y}, object{"from": y, "to": z}, object{"from": z}}}}
	case TwoLevels:
		return object{"terms": keyword, "aggs": object{"inner": object{"terms": object{"field": a[1] + ".keyword"}}}}
	case Composite:
		source := func(name, field string) object {
			return object{name: object{"terms": object{"field": field + ".keyword"}}}
		}
		return object{"composite": object{"sources": []any{source("outer", a[0]), source("inner", a[1])}}}
	case Percentiles:
		return object{"percentiles": object{"field": a[0]}}
	case TopHits:
		return object{"terms": keyword, "aggs": object{"best": object{"top_hits": object{"size": 1}}}}
	case Significant:
		return object{"significant_terms": object{"field": a[0] + ".keyword", "size": significants}}
	}
	return moreAggregation(kind, a)
}

func clause(name string, options object) object { return object{"query": object{name: options}} }

func match(field, text string) object { return object{"match": object{field: text}} }

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// mostNumbers is the field of numbers that most items have one value of, not all the same.
func mostNumbers(items [][]byte, fields corpus.Fields) string {
	have, differ := map[string]int{}, map[string]map[string]bool{}
	for i := 0; i < len(items); i += max(1, len(items)/sampled) {
		values := map[string]int{}
		corpus.Leaves(items[i], func(l corpus.Leaf) {
			if l.Kind != corpus.Number || math.IsInf(number(l.Text()), 0) {
				return
			}
			values[l.Path]++
			if differ[l.Path] == nil {
				differ[l.Path] = map[string]bool{}
			}
			differ[l.Path][l.Text()] = true
		})
		for path, n := range values {
			if n == 1 {
				have[path]++
			}
		}
	}
	best := ""
	for _, f := range fields {
		if f.Type == "number" && len(differ[f.Path]) > 2 && have[f.Path] > have[best] {
			best = f.Path
		}
	}
	return best
}

// letters is a word of at least n letters.
func (d *drawer) letters(n int) []rune {
	if word := []rune(d.pick(d.regular)); len(word) >= n {
		return word
	}
	return nil
}

// misspelled replaces a letter in the middle of a word.
func (d *drawer) misspelled() []string {
	word := d.letters(5)
	if word == nil {
		return nil
	}
	d.misspell(word)
	return []string{d.field, string(word)}
}

func (d *drawer) misspell(word []rune) {
	word[1+d.rnd.IntN(len(word)-2)] = rune('a' + d.rnd.IntN(26))
}

// pattern has a word's first two letters and its last one.
func (d *drawer) pattern() []string {
	word := d.letters(5)
	if word == nil || strings.ContainsFunc(string(word), func(r rune) bool { return !unicode.IsLetter(r) }) {
		return nil
	}
	return []string{d.field, string(word[:2]) + ".*" + string(word[len(word)-1:])}
}

// across draws two words of one item.
func (d *drawer) across() []string {
	words := tail(d.together(2))
	if words == nil {
		return nil
	}
	return append(words, d.texts...)
}

func (d *drawer) wordAndPrefix() []string {
	prefix := d.prefix()
	if prefix == nil {
		return nil
	}
	return append(d.words(d.regular), prefix[1])
}

// decay draws a word and a date of an item.
func (d *drawer) decay() []string {
	ms, ok := analysis.ParseDate(d.member(updatedField), false, nil)
	if !ok {
		return nil
	}
	return append(d.words(d.regular), updatedField, strconv.FormatInt(ms, 10))
}

// withNumber draws a word, for the field of numbers and what is done with it.
func (d *drawer) withNumber(more ...string) []string {
	if d.number == "" {
		return nil
	}
	return append(append(d.words(d.regular), d.number), more...)
}

// like draws the first words of an item's text.
func (d *drawer) like() []string {
	texts := values(d.item(), d.field)
	if len(texts) == 0 {
		return nil
	}
	var words []string
	for _, term := range analysis.Terms(d.pick(texts)) {
		if d.df[term] >= 5 && len(words) < likeWords {
			words = append(words, term)
		}
	}
	if len(words) < 3 {
		return nil
	}
	return []string{d.field, strings.Join(words, " ")}
}

// after draws an item after which a page begins.
func (d *drawer) after() []string {
	item := d.item()
	ms, ok := analysis.ParseDate(corpus.Member(item, updatedField), false, nil)
	name := corpus.Member(item, nameField)
	if !ok || name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return nil
	}
	return append(d.words(d.regular), updatedField, strconv.FormatInt(ms, 10), nameField, name)
}
