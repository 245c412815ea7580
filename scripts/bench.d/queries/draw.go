// This file draws random queries of every family.

package queries

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"

	"bench/corpus"
	"contentedge/edgeserve/engine/analysis"
)

// The item members that queries use.
const (
	nameField      = "Name"
	templateField  = "TemplateName"
	updatedField   = "UpdatedAt"
	createdField   = "CreatedAt"
	createdByField = "CreatedBy"
	idField        = "ContentID"
)

// family is a row of the benchmark. draw returns no arguments if an attempt failed.
type family struct {
	name string
	kind Kind
	draw func(*drawer) []string
}

// families are in report order. The last three of the first two groups exceed common
// benchmarks: words in any field, and a range sorted by another date. The third group has the
// constructs that only Lucene and Elasticsearch have too.
var families = []family{
	{"one rare word", Word, func(d *drawer) []string { return d.words(d.rare) }},
	{"one middling word", Word, func(d *drawer) []string { return d.words(d.middle) }},
	{"one common word", Word, func(d *drawer) []string { return d.words(d.common) }},
	{"two words, AND", And, func(d *drawer) []string { return d.together(2) }},
	{"two words, OR", Or, func(d *drawer) []string { return d.words(d.regular, d.regular) }},
	{"three words with parentheses", Mixed, func(d *drawer) []string { return d.three() }},
	{"word NOT word", Not, func(d *drawer) []string { return d.words(d.regular, d.common) }},
	{"phrase", Phrase, func(d *drawer) []string { return d.phrase() }},
	{"foo*", Prefix, func(d *drawer) []string { return d.prefix() }},
	{"*foo* on Name", Contains, func(d *drawer) []string { return d.contains(nameField) }},
	{"*foo* on " + titleField, Contains, func(d *drawer) []string { return d.contains(titleField) }},
	{"filter by template and a word", Filter, func(d *drawer) []string { return d.filter() }},
	{"date range, sorted by it", Range, func(d *drawer) []string { return d.dates(updatedField, updatedField) }},
	{"all, sorted by Name, from 10,000", Deep, func(d *drawer) []string { return d.deep() }},
	{"terms aggregation on TemplateName", Aggregate, func(d *drawer) []string { return append(d.words(d.regular), templateField) }},
	{"by ContentID", ID, func(d *drawer) []string { return []string{d.member(idField)} }},

	{"word in any field", Anywhere, func(d *drawer) []string { return d.words(d.regular)[1:] }},
	{"two words in any field, AND", BothAny, func(d *drawer) []string { return tail(d.together(2)) }},
	{"date range, sorted by another date", Range, func(d *drawer) []string { return d.dates(createdField, updatedField) }},

	{"fuzzy word", FuzzyWord, func(d *drawer) []string { return d.misspelled() }},
	{"regexp", Regexp, func(d *drawer) []string { return d.pattern() }},
	{"multi_match, best_fields of 3", BestFields, func(d *drawer) []string { return append(tail(d.words(d.regular, d.regular)), d.texts...) }},
	{"multi_match, cross_fields of 3, AND", CrossFields, func(d *drawer) []string { return d.across() }},
	{"match_bool_prefix", BoolPrefix, func(d *drawer) []string { return d.wordAndPrefix() }},
	{"dis_max of 2 fields", DisMax, func(d *drawer) []string { return append(d.words(d.regular), d.texts[len(d.texts)-1]) }},
	{"boosting", Boosting, func(d *drawer) []string { return d.words(d.regular, d.common) }},
	{"function_score, decay by date", Decay, func(d *drawer) []string { return d.decay() }},
	{"function_score, field_value_factor", Factor, func(d *drawer) []string { return d.withNumber() }},
	{"more_like_this", MoreLike, func(d *drawer) []string { return d.like() }},
	{"span_near", SpanNear, func(d *drawer) []string { return d.phrase() }},
	{"intervals", Intervals, func(d *drawer) []string { return d.phrase() }},
	{"highlight, unified", Highlight, func(d *drawer) []string { return d.words(d.regular) }},
	{"sort by 2 keys, search_after", After, func(d *drawer) []string { return d.after() }},
	{"collapse by TemplateName", Collapse, func(d *drawer) []string { return append(d.words(d.regular), templateField) }},
	{"histogram", Histogram, func(d *drawer) []string { return d.withNumber("5") }},
	{"date_histogram by month", Months, func(d *drawer) []string { return append(d.words(d.regular), updatedField) }},
	{"range aggregation", Ranges, func(d *drawer) []string { return d.withNumber("5", "50", "500") }},
	{"terms in terms", TwoLevels, func(d *drawer) []string { return append(d.words(d.regular), templateField, createdByField) }},
	{"composite of 2 terms", Composite, func(d *drawer) []string { return append(d.words(d.regular), templateField, createdByField) }},
	{"percentiles", Percentiles, func(d *drawer) []string { return d.withNumber() }},
	{"terms with top_hits", TopHits, func(d *drawer) []string { return append(d.words(d.regular), templateField) }},
	{"significant_terms", Significant, func(d *drawer) []string { return append(d.words(d.regular), createdByField) }},

	{"date_range aggregation", DateRanges, func(d *drawer) []string { return d.bounds() }},
	{"filters with other_bucket", Filters, func(d *drawer) []string { return d.filters() }},
	{"missing", Missing, func(d *drawer) []string { return append(d.words(d.regular), d.sparse) }},
	{"rare_terms", RareTerms, func(d *drawer) []string { return append(d.words(d.regular), createdByField) }},
	{"auto_date_histogram", AutoDates, func(d *drawer) []string { return append(d.words(d.regular), updatedField) }},
	{"extended_stats", ExtendedStats, func(d *drawer) []string { return d.withNumber() }},
	{"weighted_avg", WeightedAvg, func(d *drawer) []string { return d.withNumber(d.weight) }},
	{"percentile_ranks", Ranks, func(d *drawer) []string { return d.withNumber("5", "50", "500") }},
	{"months by avg, bucket_sort", BestMonths, func(d *drawer) []string { return d.months() }},
	{"months with sum, derivative", Changes, func(d *drawer) []string { return d.months() }},
	{"terms of 5 levels", FiveLevels, func(d *drawer) []string {
		return append(d.words(d.regular), templateField, createdByField, "UpdatedBy", "PublishedBy", "Status")
	}},
	{"docvalue_fields", DocvalueFields, func(d *drawer) []string { return d.shown() }},
	{"fields", WrittenFields, func(d *drawer) []string { return d.shown() }},
	{"post_filter with terms", PostFilter, func(d *drawer) []string { return append(d.words(d.regular), templateField, d.member(templateField)) }},
	{"min_score", MinScore, func(d *drawer) []string { return d.least() }},
}

const titleField = "Data.title"

// tail removes the field from drawn arguments.
func tail(args []string) []string {
	if args == nil {
		return nil
	}
	return args[1:]
}

// drawer draws from a corpus.
type drawer struct {
	*vocabulary
	rnd    *rand.Rand
	items  [][]byte
	texts  []string // up to three fields, with the field of words first
	number string   // a field of numbers; empty if the corpus has no numbers
	weight string   // another one, or the same
	sparse string   // the one of texts that the fewest items have
}

// attempts limits how often a query is drawn again. A corpus may have no queries of a
// family, for example without titles.
const attempts = 50

// Draw returns up to n queries per family. Words come from field or, if it is empty,
// from the text with the largest vocabulary, which Draw returns.
func Draw(items [][]byte, fields corpus.Fields, field string, n int) ([]Query, string, error) {
	widest := widestFields(items, fields)
	if field == "" && len(widest) > 0 {
		field = widest[0]
	}
	d := &drawer{vocabulary: count(items, field), items: items, number: mostNumbers(items, fields)}
	d.texts = append([]string{field}, slices.DeleteFunc(widest, func(path string) bool { return path == field })...)
	d.texts = d.texts[:min(len(d.texts), 3)]
	d.weight, d.sparse = secondNumber(d.number, items, fields), leastFrequent(items, d.texts)
	if len(d.regular) < 3 {
		return nil, "", errors.New("the corpus has no text below Data to draw words from")
	}
	var out []Query
	for i, f := range slices.Concat(families, searches) {
		d.rnd = rand.New(rand.NewPCG(42, uint64(i)))
		for range n {
			if args := d.try(f); args != nil {
				out = append(out, Query{f.name, f.kind, searchBody(f.kind, args), args})
			}
		}
	}
	return out, field, nil
}

func (d *drawer) try(f family) []string {
	for range attempts {
		if args := f.draw(d); args != nil {
			return args
		}
	}
	return nil
}

func (d *drawer) pick(list []string) string { return list[d.rnd.IntN(len(list))] }

func (d *drawer) item() []byte { return d.items[d.rnd.IntN(len(d.items))] }

func (d *drawer) member(path string) string { return corpus.Member(d.item(), path) }

// words draws a different word of each class.
func (d *drawer) words(classes ...[]string) []string {
	args := []string{d.field}
	for _, class := range classes {
		w := d.pick(class)
		for slices.Contains(args[1:], w) {
			w = d.pick(d.regular)
		}
		args = append(args, w)
	}
	return args
}

// together draws words that occur in one item, and that are not rare.
func (d *drawer) together(n int) []string {
	var words []string
	for _, value := range values(d.item(), d.field) {
		for _, w := range analysis.Terms(value) {
			if d.df[w] >= int(middleFrom*float64(len(d.items))) && d.df[w] > 1 && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	if len(words) < n {
		return nil
	}
	d.rnd.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return append([]string{d.field}, words[:n]...)
}

// three draws a, b and c, with a and c from one item.
func (d *drawer) three() []string {
	args := d.together(2)
	if args == nil {
		return nil
	}
	b := d.pick(d.regular)
	if slices.Contains(args, b) {
		return nil
	}
	return []string{args[0], args[1], b, args[2]}
}

// phrase draws two adjacent words.
func (d *drawer) phrase() []string {
	texts := values(d.item(), d.field)
	if len(texts) == 0 {
		return nil
	}
	terms := analysis.Terms(d.pick(texts))
	if len(terms) < 2 {
		return nil
	}
	i := d.rnd.IntN(len(terms) - 1)
	if d.df[terms[i]] < 2 || d.df[terms[i+1]] < 2 {
		return nil
	}
	return []string{d.field, terms[i], terms[i+1]}
}

// prefix draws the first letters of a word.
func (d *drawer) prefix() []string {
	letters := []rune(d.pick(d.regular))
	if len(letters) < 4 {
		return nil
	}
	return []string{d.field, string(letters[:3])}
}

// contains draws a few consecutive ASCII letters or digits of a value.
func (d *drawer) contains(path string) []string {
	value := analysis.Lower(d.member(path))
	var runs []string
	for i := 0; i < len(value); i++ {
		from := i
		for i < len(value) && (value[i] >= 'a' && value[i] <= 'z' || value[i] >= '0' && value[i] <= '9') {
			i++
		}
		if i-from >= 3 {
			runs = append(runs, value[from:i])
		}
	}
	if len(runs) == 0 {
		return nil
	}
	run := d.pick(runs)
	length := min(len(run), 3+d.rnd.IntN(3))
	from := d.rnd.IntN(len(run) - length + 1)
	return []string{path, run[from : from+length]}
}

// filter draws a word and the template of an item with it.
func (d *drawer) filter() []string {
	item := d.item()
	for _, value := range values(item, d.field) {
		for _, w := range analysis.Terms(value) {
			if d.df[w] > 1 && d.rnd.IntN(4) == 0 {
				return []string{d.field, w, corpus.Member(item, templateField)}
			}
		}
	}
	return nil
}

// dates draws a period of a day to a year that starts at some item. Lengths are uniform
// on a logarithmic scale.
func (d *drawer) dates(field, sort string) []string {
	from, ok := analysis.ParseDate(d.member(field), false, nil)
	if !ok {
		return nil
	}
	const day, longest = 24 * 3600 * 1000, 8.5 // 2^8.5 days are a year
	length := int64(day)
	for range d.rnd.IntN(int(longest*2) + 1) {
		length = length * 1414 / 1000
	}
	return []string{field, strconv.FormatInt(from, 10), strconv.FormatInt(from+length, 10), sort}
}

// deepest is the first hit of the last permitted page.
const deepest = 10000 - Hits

// deep draws pages shortly before the last one, or in the second half of a small
// corpus.
func (d *drawer) deep() []string {
	last := min(deepest, max(0, len(d.items)-Hits))
	return []string{nameField, strconv.Itoa(last - d.rnd.IntN(min(500, last/2)+1))}
}
