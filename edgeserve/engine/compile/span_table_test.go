package compile_test

import (
	"fmt"
	"testing"
)

func TestSpanQueries(t *testing.T) {
	x := newIndex(t, animals...)
	w := func(item int, words ...string) (sum float64) {
		for _, word := range words {
			sum += x.word(item, "Data.t", word)
		}
		return sum
	}
	term := func(word string) string { return `{"span_term":{"Data.t":"` + word + `"}}` }
	near := func(options string, words ...string) string {
		list := ""
		for i, word := range words {
			if i > 0 {
				list += ","
			}
			list += term(word)
		}
		return `{"span_near":{"clauses":[` + list + `]` + options + `}}`
	}
	half := func(item int, words ...string) float64 { return halfOf(x, item, w(item, words...)) }
	x.check([]scoreCase{
		{"a term", `{"span_term":{"Data.t":{"value":"quick","boost":2}}}`, scores{2: 2 * w(2, "quick")}},
		{"near in order", near(`,"slop":0,"in_order":true`, "quick", "brown"), scores{2: w(2, "quick", "brown")}},
		{"near in the wrong order", near(`,"slop":9,"in_order":true`, "brown", "quick"), nil},
		{"near with a word between", near(`,"slop":1,"in_order":true,"boost":2`, "quick", "fox"), scores{2: 2 * half(2, "quick", "fox")}},
		{"near with too many words between", near(`,"slop":1,"in_order":true`, "the", "fox"), nil},
		{"near one word", near(`,"slop":0`, "quick"), scores{2: w(2, "quick")}},
		{"near a gap", `{"span_near":{"clauses":[` + term("quick") + `,{"span_gap":{"Data.t":1}},` + term("fox") + `],"slop":0,"in_order":true}}`, scores{2: w(2, "quick", "fox")}},
		{"near a word of no item", near(`,"slop":9`, "quick", "owl"), nil},
		{"or", `{"span_or":{"clauses":[` + term("quick") + `,` + term("owl") + `]}}`, scores{2: w(2, "quick")}},
		{"first", `{"span_first":{"match":` + term("quick") + `,"end":2}}`, scores{2: w(2, "quick")}},
		{"first, too early", `{"span_first":{"match":` + term("quick") + `,"end":1}}`, nil},
		{"not", `{"span_not":{"include":` + term("hen") + `,"exclude":` + term("blue") + `}}`, scores{1: w(1, "hen"), 3: w(3, "hen")}},
		{"not after", `{"span_not":{"include":` + term("fox") + `,"exclude":` + term("blue") + `,"pre":1}}`, scores{0: w(0, "fox"), 2: w(2, "fox")}},
		{"not before", `{"span_not":{"include":` + term("blue") + `,"exclude":` + term("fox") + `,"post":1}}`, nil},
		{"not within a distance", `{"span_not":{"include":` + term("blue") + `,"exclude":` + term("fox") + `,"dist":1}}`, nil},
		{"within", `{"span_within":{"little":` + term("brown") + `,"big":` + near(`,"slop":1,"in_order":true`, "quick", "fox") + `}}`, scores{2: w(2, "brown", "quick", "fox")}},
		{"not within", `{"span_within":{"little":` + term("the") + `,"big":` + near(`,"slop":1,"in_order":true`, "quick", "fox") + `}}`, nil},
		{"containing", `{"span_containing":{"little":` + term("brown") + `,"big":` + near(`,"slop":1,"in_order":true`, "quick", "fox") + `}}`, scores{2: half(2, "brown", "quick", "fox")}},
		{"a prefix", `{"span_multi":{"match":{"prefix":{"Data.t":"qu"}}}}`, scores{2: w(2, "quick")}},
		{"a wildcard", `{"span_multi":{"match":{"wildcard":{"Data.t":"br*n"}}}}`, scores{2: w(2, "brown")}},
		{"a wildcard in any case", `{"span_multi":{"match":{"wildcard":{"Data.t":{"value":"BR*N","case_insensitive":true}}}}}`, scores{2: w(2, "brown")}},
		{"a regexp", `{"span_multi":{"match":{"regexp":{"Data.t":"qu.+"}}}}`, scores{2: w(2, "quick")}},
		{"a misspelt word", `{"span_multi":{"match":{"fuzzy":{"Data.t":{"value":"quik","fuzziness":1}}}}}`, scores{2: w(2, "quick")}},
		{"a range", `{"span_multi":{"match":{"range":{"Data.t":{"gt":"hens","lte":"quick"}}}}}`, scores{2: w(2, "quick")}},
		{"the best words of a prefix", `{"span_multi":{"match":{"prefix":{"Data.t":{"value":"b","rewrite":"top_terms_1"}}}}}`, scores{3: w(3, "blue")}},
		{"a mask", `{"field_masking_span":{"query":` + term("quick") + `,"field":"Data.t"}}`, scores{2: w(2, "quick")}},
		{"a path of no item", `{"span_term":{"Data.nope":"quick"}}`, nil},
	})
}

// TestIntervalQueries has a boost of 2: an interval as short as the rule allows gives 1, one that is a word longer 2/3.
func TestIntervalQueries(t *testing.T) {
	x := newIndex(t, `{"t":"red fox jumps","u":"owl"}`, `{"t":"fox and red"}`, `{"t":"red big big fox"}`, `{"t":["red","fox"]}`, `{"t":"red red fox jumping"}`)
	rule := func(rule string) string { return `{"intervals":{"Data.t":{` + rule + `,"boost":2}}}` }
	match := func(text, options string) string { return `"match":{"query":"` + text + `"` + options + `}` }
	filtered := func(text, kind, other string) string {
		return rule(match(text, `,"max_gaps":9,"filter":{"`+kind+`":{"match":{"query":"`+other+`"}}}`))
	}
	length := func(more ...float64) float64 { // of intervals that are longer than needed by these numbers of words
		frequency := 0.0
		for _, n := range more {
			frequency += 1 / (1 + n)
		}
		return 2 * frequency / (1 + frequency)
	}
	x.check([]scoreCase{
		{"a word", rule(match("jumps", ``)), each(1, 0)},
		{"words in any order", rule(match("red fox", `,"max_gaps":5`)), scores{0: 1, 1: length(1), 2: length(2), 4: 1}},
		{"words in order", rule(match("red fox", `,"ordered":true`)), scores{0: 1, 2: length(2), 3: length(100), 4: 1}},
		{"words without gaps", rule(match("red fox", `,"max_gaps":0`)), each(1, 0, 4)},
		{"words in order without gaps", rule(match("fox jumps", `,"max_gaps":0,"ordered":true`)), each(1, 0)},
		{"a word twice", rule(match("red red", `,"ordered":true`)), scores{4: length(1)}}, // Lucene takes a repeated word for as short as the word
		{"a prefix", rule(`"prefix":{"prefix":"Jump"}`), each(1, 0, 4)},
		{"a wildcard", rule(`"wildcard":{"pattern":"jump?"}`), each(1, 0)},
		{"a misspelt word", rule(`"fuzzy":{"term":"jumpz","fuzziness":1}`), each(1, 0)},
		{"a misspelt word after a fixed begin", rule(`"fuzzy":{"term":"gumps","fuzziness":1,"prefix_length":1}`), nil},
		{"any of two", rule(`"any_of":{"intervals":[{` + match("jumps", ``) + `},{` + match("jumping", ``) + `}]}`), each(1, 0, 4)},
		{"all of two", rule(`"all_of":{"ordered":true,"max_gaps":0,"intervals":[{` + match("fox", ``) + `},{"prefix":{"prefix":"jump"}}]}`), each(1, 0, 4)},
		{"all of alternatives of several lengths", rule(`"all_of":{"ordered":true,"max_gaps":0,"intervals":[{"any_of":{"intervals":[{` + match("red", ``) + `},{` + match("red red", `,"ordered":true,"max_gaps":0`) + `}]}},{` + match("fox", ``) + `}]}`), scores{0: 1, 4: 1}},
		{"all of alternatives with a common begin", rule(`"all_of":{"ordered":true,"max_gaps":0,"intervals":[{"any_of":{"intervals":[{` + match("big", ``) + `},{` + match("big big", `,"ordered":true,"max_gaps":0`) + `}]}},{` + match("fox", ``) + `}]}`), scores{2: 1}},
		{"all of two in any order", rule(`"all_of":{"max_gaps":1,"intervals":[{` + match("fox", ``) + `},{` + match("red", ``) + `}]}`), scores{0: 1, 1: length(1), 4: 1}},
		{"containing", filtered("red fox", "containing", "big"), scores{2: length(2)}},
		{"not containing", filtered("red fox", "not_containing", "big"), scores{0: 1, 1: length(1), 4: 1}},
		{"contained by", filtered("big", "contained_by", "red fox"), scores{2: length(0, 0)}},
		{"not contained by", filtered("jumps", "not_contained_by", "red fox"), each(1, 0)},
		{"overlapping", filtered("fox", "overlapping", "red fox"), each(1, 0, 1, 2, 3, 4)},
		{"not overlapping", filtered("jumps", "not_overlapping", "red fox"), each(1, 0)},
		{"before", filtered("fox", "before", "red"), each(1, 1)},
		{"after", filtered("fox", "after", "red"), each(1, 0, 2, 3, 4)},
		{"in another field", `{"intervals":{"Data.t":{"match":{"query":"owl","use_field":"Data.u"},"boost":2}}}`, each(1, 0)},
		{"of no words", rule(match("-", ``)), nil},
		{"on a path of no item", `{"intervals":{"Data.nope":{` + match("red", ``) + `}}}`, nil},
	})
}

// TestMoreLikeThis selects words by their frequency in the examples and in the items.
func TestMoreLikeThis(t *testing.T) {
	x := newIndex(t, animals...)
	w := func(item int, words ...string) (sum float64) {
		for _, word := range words {
			sum += x.word(item, "Data.t", word)
		}
		return sum
	}
	from := func(termFreq, docFreq int, like, options string) string {
		return fmt.Sprintf(`{"more_like_this":{"fields":["Data.t"],"like":%s,"min_term_freq":%d,"min_doc_freq":%d%s}}`, like, termFreq, docFreq, options)
	}
	like := func(like, options string) string { return from(1, 1, like, options) }
	x.check([]scoreCase{
		{"a text", like(`"quick hen"`, ``), scores{1: w(1, "hen"), 2: w(2, "quick"), 3: w(3, "hen")}},
		{"an item, without the item", like(`{"_id":"b"}`, ``), scores{0: w(0, "red"), 3: w(3, "red", "hen")}},
		{"an item, with it", like(`{"_id":"b"}`, `,"include":true,"boost":2`), scores{0: 2 * w(0, "red"), 1: 2 * w(1, "red", "hen"), 3: 2 * w(3, "red", "hen")}},
		{"a document", like(`{"doc":{"Data":{"t":"quick"}}}`, ``), scores{2: w(2, "quick")}},
		{"all words", like(`"quick hen red"`, `,"minimum_should_match":"100%"`), nil},
		{"two words", like(`"blue hen red"`, `,"minimum_should_match":2`), scores{1: w(1, "hen", "red"), 3: w(3, "blue", "hen", "red")}},
		{"words that are often in the text", from(2, 1, `"quick quick hen"`, ``), scores{2: w(2, "quick")}},
		{"words that are often in the items", from(1, 2, `"quick hen"`, ``), scores{1: w(1, "hen"), 3: w(3, "hen")}},
		{"words that are rare in the items", like(`"quick hen"`, `,"max_doc_freq":1`), scores{2: w(2, "quick")}},
		{"the rarest word", like(`"hen quick red"`, `,"max_query_terms":1`), scores{2: w(2, "quick")}},
		{"long words", like(`"quick hen"`, `,"min_word_length":4`), scores{2: w(2, "quick")}},
		{"short words", like(`"quick hen"`, `,"max_word_length":4`), scores{1: w(1, "hen"), 3: w(3, "hen")}},
		{"without stop words", like(`"quick hen"`, `,"stop_words":["hen"]`), scores{2: w(2, "quick")}},
		{"unlike a text", like(`"quick hen"`, `,"unlike":"hen"`), scores{2: w(2, "quick")}},
		{"unlike an item", like(`{"_id":"d"}`, `,"unlike":{"_id":"b"}`), scores{0: w(0, "fox"), 2: w(2, "fox")}},
		{"of words that no item has", like(`"owl"`, ``), nil},
		{"of an item that is not there", like(`{"_id":"z"}`, ``), nil},
		{"on a keyword", `{"more_like_this":{"fields":["Data.k.keyword"],"like":"Alpha","min_term_freq":1,"min_doc_freq":1}}`, each(keywordScore(x, "Data.k", 1), 0)},
	})
}
