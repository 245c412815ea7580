// This file lists why responses may differ: where the interface promises more than
// Elasticsearch, or where Elasticsearch approximates.

package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// seen is what a reason looks at.
type seen struct {
	body, asked  string // as written, and as Elasticsearch was asked
	ours, theirs *Response
	difference   string
	left         bool // theirs may lack what a lenient query string leaves out
	tame         bool // no item has a value twice, and every value fits the type of its path
}

// Tame is the environment whose values excuse less.
const Tame = "tame"

// refusedByThem tells whether only Elasticsearch refuses a body, in words of a pattern.
func (s seen) refusedByThem(words *regexp.Regexp) bool {
	return s.ours.Status == 200 && s.theirs.Status == 400 && words.MatchString(s.theirs.Error)
}

// reasons are in the order in which they are tried.
var reasons = []struct {
	name  string
	holds func(seen) bool
}{
	{"explanations do not promise the texts of queries, nor the windows of rescores next to `top_hits`.", func(s seen) bool {
		if strings.Contains(s.body, `"rescore":`) && strings.Contains(s.body, `"top_hits":`) && window.MatchString(s.difference) {
			return true // it explains by the window of the last bucket
		}
		return strings.HasPrefix(s.difference, textDiffers) || strings.Contains(s.difference, "_explanation") && strings.Contains(s.difference, "^0.0")
	}},
	{"`_id`, `_index` and `_type` are values like others.", func(s seen) bool {
		if s.theirs.Status == 200 && strings.Contains(s.body, `"lenient":true`) && (names(s.body, "_index") || names(s.body, "_type")) {
			return true // it refuses ranges and patterns of these fields
		}
		return strings.Contains(s.body, "_id") && (s.refusedByThem(regexp.MustCompile(`\[_id\]|_id field|Ids can't be empty`)) || s.theirs.Status == 200 && names(s.body, "_id"))
	}},
	{"letters, words and quoted texts are looked for in the text of numbers, dates and booleans, without statistics.", func(s seen) bool {
		return lettersOf(s) || phraseOf(s) || wordsOf(s) || s.left && s.ours.Status == 200 && s.theirs.Status == 200
	}},
	{"equal values of an item count once, also in a bucket of `composite`. 0 equals -0. `cardinality` is exact, and so are `min` and `max` next to `terminate_after`.", func(s seen) bool {
		if minusZero.MatchString(s.body) && s.ours.Status == 200 && s.theirs.Status == 200 {
			return true
		}
		return exact(s) || again(s) || !s.tame && twice(s)
	}},
	{"`exists`, hence a range without bounds, knows `.keyword` on text only. It finds values that a path's type cannot hold.", func(s seen) bool {
		if !s.tame && shownInfinite.MatchString(s.difference) {
			return true
		}
		if !s.tame && s.ours.Status == 200 && s.theirs.Status == 200 && (s.ours.Total != s.theirs.Total && beyond.MatchString(s.body) && anyValue.MatchString(s.body) || ofBeyond.MatchString(s.body) && strings.HasPrefix(s.difference, "hit ")) {
			return true
		}
		return s.ours.Status == 200 && (s.theirs.Status == 200 || s.ours.Total == 0) && unbounded.MatchString(s.asked)
	}},
	{"`more_like_this` marks nothing with `plain`. A `wildcard` on text marks all words of a value that it matches as a whole.", func(s seen) bool {
		if wholeValue.MatchString(s.body) && strings.Contains(s.difference, `"highlight"`) && strings.HasSuffix(s.difference, "theirs null") {
			return true
		}
		// By default it looks for words that five items have. Elasticsearch takes the text for one item.
		return strings.Contains(s.difference, "highlight") && strings.Contains(s.body, `"more_like_this"`) && strings.Contains(s.body, `"plain"`) && common.MatchString(s.body)
	}},
	{"the Elasticsearch of `scripts/elasticsearch` runs no scripts.", func(s seen) bool {
		return strings.Contains(s.body, `"script":`) && s.refusedByThem(regexp.MustCompile(`script_lang not supported`))
	}},
	{"what fails in Elasticsearch, or scores below 0, succeeds here or is a 400.", func(s seen) bool {
		if s.ours.Status == 200 && s.refusedByThem(beforeEpoch) {
			return true // it reads milliseconds before 1970 only if they are whole seconds
		}
		if strings.Contains(s.body, `"cross_fields"`) && (strings.Contains(s.difference, "theirs -") || negative(s.theirs) || strings.Contains(s.body, `"min_score"`) && s.ours.Total > s.theirs.Total) {
			return true // a word is in more items than one of the fields
		}
		if s.ours.Status == 400 && s.theirs.Status == 200 && (strings.Contains(s.ours.Error, "of search_after does not fit") || strings.Contains(s.body, `"match_none"`)) {
			return true // it does not look, because it has no hits
		}
		if s.ours.Status == 400 && s.theirs.Status == 200 && (strings.Contains(s.ours.Error, "of missing does not fit") ||
			(s.theirs.Total == 0 || len(s.theirs.Hits) == 0 && strings.Contains(s.ours.Error, "has no format")) && unread.MatchString(s.ours.Error)) {
			return true // it does not look at what it need not compare
		}
		if least.MatchString(s.asked) && !strings.Contains(s.asked, `"track_total_hits":true`) {
			return true // it compares the least score with the score of a date's or an integer's distance
		}
		if strings.Contains(s.ours.Error, "which span queries need") {
			return s.theirs.Status == 200 || s.theirs.Status == 500 // it fails for words that an item has
		}
		if s.ours.Total < s.theirs.Total && overflow.MatchString(s.body) {
			return true // it counts past the last date to the first
		}
		if s.theirs.Status == 200 && strings.Contains(s.ours.Error, "a match has several values") {
			return true // it does not look at the values of matches that cannot be on the page
		}
		if typedFields.MatchString(s.body) && s.refusedByThem(regexp.MustCompile(`For input string`)) {
			return true // it cannot show a value of another type
		}
		if partly.MatchString(s.difference) {
			return true // it shows no value of an item that has one of another type
		}
		if strings.Contains(s.body, `"case_insensitive":true,"value":""`) || strings.Contains(s.body, `[\"\" TO `) {
			return true // it finds no empty value then
		}
		if strings.Contains(s.body, "highlight_query") && s.ours.Status == 200 && s.theirs.Status == 400 {
			return true // it marks no field, or no hit
		}
		return s.ours.Status < 500 && (s.theirs.Status >= 500 || s.refusedByThem(regexp.MustCompile(`does not support (range queries|custom formats)|no such index \[\]|Sub-iterators of ConjunctionDISI|boost must be a positive float|cannot be cast to class|features that prevent cachability|convert a known date time formatter|cannot be converted to nanoseconds|must be <= \[-?9223372036|failed to parse date field \[[\d.]+E\d+\]|could not read the current timestamp|allow terms that are larger|Cannot invoke \\?"org\.(elasticsearch|apache)`)))
	}},
	{"a word that is near several misspelt ones scores for each misspelt one.", func(s seen) bool { // Lucene gives both the statistics of one
		return misspelt.MatchString(s.body) && s.ours.Total == s.theirs.Total && strings.HasPrefix(s.difference, "hit ") &&
			(strings.Contains(s.difference, "_score") || strings.Contains(s.difference, "_explanation") || strings.Contains(s.difference, "theirs Content_"))
	}},
	{"limits of work, of dates (146 million years), and of the terms of a rule of intervals, hold where Elasticsearch has none.", func(s seen) bool {
		if farDate.MatchString(s.difference) && dated.MatchString(s.body) {
			return true
		}
		return s.ours.Status != 200 && (strings.Contains(s.ours.Error, "more work than one request may take") || strings.Contains(s.ours.Error, "the highlights of the hits are longer")) ||
			s.ours.Status == 400 && s.theirs.Status == 200 && (strings.Contains(s.ours.Error, "terms match a rule") || strings.Contains(s.ours.Error, "span_multi: more than") ||
				strings.Contains(s.body, "highlight_query") && strings.Contains(s.ours.Error, "which scoring_boolean cannot score"))
	}},
}

// again tells whether Elasticsearch counts an item once for each of its values in a bucket.
func again(s seen) bool {
	var our, their float64
	_, numbers, _ := strings.Cut(s.difference, ": ")
	_, err := fmt.Sscanf(numbers, "%g, theirs %g", &our, &their)
	return strings.Contains(s.body, `"composite":`) && ofCombination.MatchString(s.difference) && (err != nil || our < their)
}

// twice tells whether a difference can come from a value that an item has more than once.
func twice(s seen) bool {
	if numeric.MatchString(s.body) && repeated.MatchString(s.difference) {
		return true
	}
	return together.MatchString(s.body) && (strings.Contains(s.difference, ".sort[") || strings.HasPrefix(s.difference, "hit "))
}

// exact reports whether Elasticsearch estimates, or looks at other items than the search's.
func exact(s seen) bool {
	if strings.Contains(s.body, `"terminate_after"`) && (extreme.MatchString(s.body) && value.MatchString(s.difference) ||
		strings.Contains(s.body, `"composite":`) && strings.HasPrefix(s.difference, "aggregations.")) {
		return true // it reads the values of all items from its index
	}
	if estimated.MatchString(s.body) && ofPercents.MatchString(s.difference) {
		return true
	}
	_, numbers, ok := strings.Cut(s.difference, ".value: ")
	var our, their float64
	if !ok || !strings.Contains(s.body, `"cardinality"`) {
		return false
	}
	if _, err := fmt.Sscanf(numbers, "%g, theirs %g", &our, &their); err != nil {
		return false
	}
	return math.Abs(our-their) < 0.01*their
}

// lettersOf tells whether Elasticsearch refuses a query about letters for its field.
func lettersOf(s seen) bool {
	if strings.Contains(s.body, `"case_insensitive":true`) && s.refusedByThem(regexp.MustCompile(`Can't parse boolean value`)) {
		return true
	}
	return s.refusedByThem(regexp.MustCompile(`Can only use (wildcard|prefix|regexp|fuzzy|phrase prefix|case insensitive)|Can only use .* queries on|\] which does not support case insensitive|does not support \[?case.insensitive`))
}

// phraseOf reports whether Elasticsearch refuses a phrase that is not a value.
func phraseOf(s seen) bool {
	phrase := strings.Contains(s.body, `"phrase"`) || strings.Contains(s.body, "match_phrase") || strings.Contains(s.body, `\"`)
	return phrase && s.refusedByThem(regexp.MustCompile(`failed to parse date field|For input string|Can't parse boolean value|out of range|empty String|multiple points|cannot parse empty date|date math|can only be used on single unit types|Ids can't be empty|supports only finite values`))
}

// wordsOf tells whether words of values are looked for: Elasticsearch scores them, and counts some of a prefix.
func wordsOf(s seen) bool {
	return strings.Contains(s.asked, `.words·`) && s.ours.Status == 200 && s.theirs.Status == 200 &&
		(s.ours.Total >= s.theirs.Total || strings.Contains(s.body, `"min_score"`) || strings.Contains(s.body, `"must_not"`))
}

// Parts of bodies and of differences.
var (
	estimated     = regexp.MustCompile(`"(percentiles|percentile_ranks)":\{`)
	ofPercents    = regexp.MustCompile(`^aggregations\..*\.values\b`)
	ofCombination = regexp.MustCompile(`^aggregations\.\w+\.buckets\[\d+\]\.(doc_count|[mb]\b|h\.hits)`)
	farDate       = regexp.MustCompile(`46116860\d{11}\b|\+14614\d{4}-`)
	dated         = regexp.MustCompile(`date_histogram|date_range|\.date"`)
	shownInfinite = regexp.MustCompile(`\.(highlight|fields)\..*theirs "-?Infinity`)
	typedFields   = regexp.MustCompile(`"fields":\[[^\]]*\.(long|double)"`)
	minusZero     = regexp.MustCompile(`[^\d.]-0(\.0+)?([eE]\d+)?[^\d.]`)
	beyond        = regexp.MustCompile(`Data\.(big|huge)|"Data\.?\*?"|"\*|Data\.\*|_exists_`)
	ofBeyond      = regexp.MustCompile(`"exists":\{[^}]*"field":"Data\.(big|huge)"|"range":\{"Data\.(big|huge)":\{("(boost|time_zone|format|_name)":("[^"]*"|[0-9.]+),?)*\}`)
	anyValue      = regexp.MustCompile(`"exists"|_exists_|\*|"range":\{"[^"]*":\{("(boost|time_zone|format|_name)":("[^"]*"|[0-9.]+),?)*\}`)
	partly        = regexp.MustCompile(`member "fields": \{"Data.*\}, theirs null|\.fields: member "Data\.[^"]+\.(long|double|date)": .*, theirs null`)

	window    = regexp.MustCompile(`^hit .*_explanation.*: "(sum|product|avg|max|min) of:", theirs "(sum|product|avg|max|min) of:"`)
	extreme   = regexp.MustCompile(`"(min|max)":\{"field":`)
	value     = regexp.MustCompile(`^aggregations\..*\.value(_as_string)?: `)
	unread    = regexp.MustCompile(`regular expression|query string, byte|terms match, which scoring_boolean|holds (integers|numbers|dates|booleans|whole texts)\b|exists needs a field|has no format`)
	least     = regexp.MustCompile(`"min_score":.*"sort":\[`)
	common    = regexp.MustCompile(`"min_doc_freq":[01]\b`)
	overflow  = regexp.MustCompile(`(\{|[^=]>|"gt":"?)9223372036854775807|-9223372036854775808\}|(<|"lt":"?)-9223372036854775808`)
	misspelt  = regexp.MustCompile(`"fuzziness":("[^"]*"|[12])|"query":"(?:\\.|[^"\\])*~`)
	numeric   = regexp.MustCompile(`"docvalue_fields":|"(sum|avg|stats|value_count|extended_stats|percentiles|percentile_ranks|weighted_avg)":\{`)
	repeated  = regexp.MustCompile(`^hit .*\.fields\..*(: \d+ values|\[\d+\]: -?[\d.]+(E-?\d+)?), theirs -?\d+|^aggregations\..*\.(sum|avg|count|value|sum_of_squares|values)\b`)
	together  = regexp.MustCompile(`"mode":"(sum|avg|median)"`)
	unbounded = regexp.MustCompile(`"range":\{"[^"]*\.keyword·?":\{("(boost|time_zone|format|_name)":("[^"]*"|[0-9.]+),?)*\}\}|"exists":\{[^{}]*"field":"_sub\.[^"]*\.keyword·"|_exists_:_sub\.[^\s"]*\.keyword·|_sub\.[^\s"]*\.keyword·:(\*|[\[{]\* TO \*[\]}])`)
)

// negative tells whether a hit has a negative score.
func negative(a *Response) bool {
	return slices.ContainsFunc(a.Hits, func(h Hit) bool {
		score, _ := h.Rest["_score"].(json.Number)
		return strings.HasPrefix(string(score), "-")
	})
}

// wholeValue finds a wildcard on a path, not on a sub-field.
var wholeValue = regexp.MustCompile(`"wildcard":\{"(Name|TemplateName|Status|(Created|Updated|Published)By|Data\.[a-z]+)":`)

// beforeEpoch finds milliseconds before 1970 among dates that are refused.
var beforeEpoch = regexp.MustCompile(`failed to parse date field \[-\d+(\.\d+)?\]`)

// names reports whether a body names a field.
func names(body, field string) bool {
	return strings.Contains(body, `"`+field+`"`) || strings.Contains(body, `"`+field+`^`) || strings.Contains(body, field+":")
}

// reason names why a difference is meant, or returns "".
func reason(s seen) string {
	for _, r := range reasons {
		if r.holds(s) {
			return r.name
		}
	}
	return ""
}
