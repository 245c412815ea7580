package compile_test

import (
	"testing"

	"contentedge/edgeserve/engine/scorer"
)

// animals have text, a second text, numbers, dates, booleans, and one item without most of them.
var animals = []string{
	`{"t":"red fox","n":1,"k":"Alpha","d":"2021-01-01T10:00:00.000Z","b":true,"f":0.5}`,
	`{"t":"red red hen","n":2,"k":"alpine","d":"2021-01-02T10:00:00.000Z","b":false,"f":1.5}`,
	`{"t":"the quick brown fox","u":"red","n":3,"k":"Beta","b":true}`,
	`{"t":["blue fox","red hen"],"n":10,"k":["beta","gamma"],"d":["2021-01-04T10:00:00.000Z","2020-12-31T10:00:00.000Z"]}`,
	`{"t":"hens and foxes","u":"fox fox","n":7,"f":-2}`,
	`{"u":"the hen"}`,
}

// keywordScore is the score of a value that df items have.
func keywordScore(x *index, path string, df int) float64 {
	return scorer.KeywordScore(x.r.Field(path).Column(), df, 1)
}

func TestTerms(t *testing.T) {
	x := newIndex(t, animals...)
	keyword := func(path string, df int) float64 { return keywordScore(x, path, df) }
	red := scores{0: x.word(0, "Data.t", "red"), 1: x.word(1, "Data.t", "red"), 3: x.word(3, "Data.t", "red")}
	x.check([]scoreCase{
		{"term", `{"term":{"Data.t":"red"}}`, red},
		{"term with a boost", `{"term":{"Data.t":{"value":"red","boost":3}}}`, scores{0: 3 * red[0], 1: 3 * red[1], 3: 3 * red[3]}},
		{"term with a boost of 0", `{"term":{"Data.t":{"value":"red","boost":0}}}`, each(0, 0, 1, 3)},
		{"term in upper case", `{"term":{"Data.t":"RED"}}`, scores{}},
		{"term in any case", `{"term":{"Data.t":{"value":"RED","case_insensitive":true,"boost":2}}}`, each(2, 0, 1, 3)},
		{"term of two words", `{"term":{"Data.t":"red fox"}}`, scores{}},
		{"term on a keyword", `{"term":{"Data.k.keyword":"Beta"}}`, each(keyword("Data.k", 1), 2)},
		{"term on a keyword in lower case", `{"term":{"Data.k.keyword":"alpha"}}`, scores{}},
		{"term on a keyword in any case", `{"term":{"Data.k.keyword":{"value":"ALPHA","case_insensitive":true}}}`, each(1, 0)},
		{"term on a boolean", `{"term":{"Data.b":true}}`, each(keyword("Data.b", 2), 0, 2)},
		{"term on a boolean that is false", `{"term":{"Data.b":"false"}}`, each(keyword("Data.b", 1), 1)},
		{"term on a number", `{"term":{"Data.n":{"value":3,"boost":2}}}`, each(2, 2)},
		{"term on a number that no item has", `{"term":{"Data.n":4}}`, scores{}},
		{"term on a whole number with a fraction", `{"term":{"Data.n":2.5}}`, scores{}},
		{"term on a fraction", `{"term":{"Data.f":0.5}}`, each(1, 0)},
		{"term on a day", `{"term":{"Data.d":"2021-01-02"}}`, each(1, 1)},
		{"term on one of several days", `{"term":{"Data.d":"2020-12-31"}}`, each(1, 3)},
		{"term on an id", `{"term":{"_id":"c"}}`, each(1, 2)},
		{"term on a path of no item", `{"term":{"Data.nope":"red"}}`, scores{}},

		{"terms", `{"terms":{"Data.t":["fox","quick"],"boost":2}}`, each(2, 0, 2, 3)},
		{"terms on a keyword", `{"terms":{"Data.k.keyword":["Alpha","gamma","nope"]}}`, each(1, 0, 3)},
		{"terms on numbers", `{"terms":{"Data.n":[1,2,10]}}`, each(1, 0, 1, 3)},
		{"terms on days", `{"terms":{"Data.d":["2021-01-01","2021-01-04"]}}`, each(1, 0, 3)},
		{"terms on booleans", `{"terms":{"Data.b":[true,false]}}`, each(1, 0, 1, 2)},
		{"terms without values", `{"terms":{"Data.t":[]}}`, scores{}},
		{"terms of an item", `{"terms":{"Data.k.keyword":{"index":"demo","id":"d","path":"Data.k"}}}`, each(1, 3)},
		{"terms of no item", `{"terms":{"Data.k.keyword":{"index":"demo","id":"z","path":"Data.k"}}}`, scores{}},
		{"terms of an item without the path", `{"terms":{"Data.k.keyword":{"index":"demo","id":"f","path":"Data.k"}}}`, scores{}},

		{"ids", `{"ids":{"values":["a","f","z"],"boost":1.5}}`, each(1.5, 0, 5)},
		{"ids of none", `{"ids":{"values":[]}}`, scores{}},
		{"match_all", `{"match_all":{"boost":2}}`, each(2, 0, 1, 2, 3, 4, 5)},
		{"match_none", `{"match_none":{}}`, scores{}},
		{"exists", `{"exists":{"field":"Data.u","boost":2}}`, each(2, 2, 4, 5)},
		{"exists on an object", `{"exists":{"field":"Data"}}`, each(1, 0, 1, 2, 3, 4, 5)},
		{"exists on a path of no item", `{"exists":{"field":"Data.nope"}}`, scores{}},
		{"exists in every item", `{"exists":{"field":"_id"}}`, each(1, 0, 1, 2, 3, 4, 5)},
	})
}

func TestRanges(t *testing.T) {
	x := newIndex(t, animals...)
	of := func(path, bounds string) string { return `{"range":{"` + path + `":{` + bounds + `}}}` }
	x.check([]scoreCase{
		{"from", of("Data.n", `"gte":3`), each(1, 2, 3, 4)},
		{"after", of("Data.n", `"gt":3`), each(1, 3, 4)},
		{"to", of("Data.n", `"lte":2,"boost":2`), each(2, 0, 1)},
		{"before", of("Data.n", `"lt":2`), each(1, 0)},
		{"between", of("Data.n", `"gt":1,"lt":10`), each(1, 1, 2, 4)},
		{"between fractions", of("Data.n", `"gte":1.5,"lte":2.5`), each(1, 1)},
		{"after a fraction", of("Data.n", `"gt":2.5`), each(1, 2, 3, 4)},
		{"nothing", of("Data.n", `"gt":3,"lt":3`), scores{}},
		{"of fractions", of("Data.f", `"gte":-2,"lt":1.5`), each(1, 0, 4)},
		{"without bounds", of("Data.f", ``), each(1, 0, 1, 4)},
		{"from a day", of("Data.d", `"gte":"2021-01-02"`), each(1, 1, 3)},
		{"after a day", of("Data.d", `"gt":"2021-01-01"`), each(1, 1, 3)},
		{"to a day", of("Data.d", `"lte":"2021-01-01"`), each(1, 0, 3)},
		{"before a day", of("Data.d", `"lt":"2021-01-01"`), each(1, 3)},
		{"after the last day", of("Data.d", `"gt":"2021-01-04"`), scores{}},
		{"in a time zone", of("Data.d", `"gte":"2021-01-02T12:00:00","lte":"2021-01-02T12:00:00","time_zone":"+02:00"`), each(1, 1)},
		{"in a format", of("Data.d", `"gte":"02/01/2021","lte":"02/01/2021","format":"dd/MM/yyyy"`), each(1, 1)},
		{"of words", of("Data.t", `"gte":"brown","lt":"fox"`), each(1, 2)},
		{"of whole values", of("Data.k.keyword", `"gt":"Alpha","lte":"beta"`), each(1, 1, 2, 3)},
		{"on a path of no item", of("Data.nope", `"gt":3`), scores{}},
		{"by from and to", of("Data.n", `"from":2,"to":7,"include_lower":false,"include_upper":false`), each(1, 2)},
	})
}

func TestPatterns(t *testing.T) {
	x := newIndex(t, animals...)
	word := func(word string, items ...int) scores {
		out := scores{}
		for _, i := range items {
			out[i] = x.word(i, "Data.t", word)
		}
		return out
	}
	x.check([]scoreCase{
		{"prefix", `{"prefix":{"Data.t":{"value":"fox","boost":2}}}`, each(2, 0, 2, 3, 4)},
		{"prefix in upper case", `{"prefix":{"Data.t":"FOX"}}`, scores{}},
		{"prefix in any case", `{"prefix":{"Data.t":{"value":"FOX","case_insensitive":true}}}`, each(1, 0, 2, 3, 4)},
		{"prefix on a keyword", `{"prefix":{"Data.k.keyword":"al"}}`, each(1, 1)},
		{"prefix on a keyword in any case", `{"prefix":{"Data.k.keyword":{"value":"al","case_insensitive":true}}}`, each(1, 0, 1)},
		{"prefix on a date", `{"prefix":{"Data.d":"2021-01-0"}}`, each(1, 0, 1, 3)},
		{"prefix with the best word", `{"prefix":{"Data.t":{"value":"b","rewrite":"top_terms_1"}}}`, word("blue", 3)},
		{"prefix with scores", `{"prefix":{"Data.t":{"value":"b","rewrite":"scoring_boolean"}}}`, scores{2: x.word(2, "Data.t", "brown"), 3: x.word(3, "Data.t", "blue")}},
		{"prefix with boosts", `{"prefix":{"Data.t":{"value":"b","rewrite":"top_terms_boost_9","boost":2}}}`, each(2, 2, 3)},

		{"wildcard on text looks at whole values", `{"wildcard":{"Data.t":"RED*"}}`, each(1, 0, 1, 3)},
		{"wildcard of one letter", `{"wildcard":{"Data.t":{"value":"red fo?","boost":2}}}`, each(2, 0)},
		{"wildcard on a keyword", `{"wildcard":{"Data.k.keyword":"*eta"}}`, each(1, 2, 3)},
		{"wildcard on a keyword knows the case", `{"wildcard":{"Data.k.keyword":"a*"}}`, each(1, 1)},
		{"wildcard on a keyword in any case", `{"wildcard":{"Data.k.keyword":{"value":"A*","case_insensitive":true}}}`, each(1, 0, 1)},
		{"wildcard that knows the case", `{"wildcard":{"Data.t":{"value":"RED*","case_insensitive":false}}}`, scores{}},
		{"wildcard of everything", `{"wildcard":{"Data.u":"*"}}`, each(1, 2, 4, 5)},
		{"wildcard of nothing", `{"wildcard":{"Data.u":""}}`, scores{}},

		{"regexp", `{"regexp":{"Data.t":"(fox|hen)(es)?"}}`, each(1, 0, 1, 2, 3, 4)},
		{"regexp on a keyword", `{"regexp":{"Data.k.keyword":{"value":"[A-B].*","boost":3}}}`, each(3, 0, 2)},
		{"regexp in any case", `{"regexp":{"Data.t":{"value":"RE.","case_insensitive":true}}}`, each(1, 0, 1, 3)},
		{"regexp with scores", `{"regexp":{"Data.t":{"value":"qu.*","rewrite":"scoring_boolean"}}}`, word("quick", 2)},
	})
}

// TestFuzzy has the similar words as one: all as frequent as the most frequent, each less by its edits.
func TestFuzzy(t *testing.T) {
	x := newIndex(t, animals...)
	x.check([]scoreCase{
		{"no edit", `{"fuzzy":{"Data.t":{"value":"hen","fuzziness":0}}}`, scores{1: x.word(1, "Data.t", "hen"), 3: x.word(3, "Data.t", "hen")}},
		{"one edit", `{"fuzzy":{"Data.t":{"value":"hen","fuzziness":1}}}`, scores{
			1: x.word(1, "Data.t", "hen"), 3: x.word(3, "Data.t", "hen"), 4: x.asCommon(4, "Data.t", "hens", 2) * 2 / 3,
		}},
		{"the best word", `{"fuzzy":{"Data.t":{"value":"hens","fuzziness":1,"max_expansions":1}}}`, scores{4: x.word(4, "Data.t", "hens")}},
		{"after a fixed begin", `{"fuzzy":{"Data.t":{"value":"rod","fuzziness":1,"prefix_length":1,"boost":2}}}`, scores{
			0: 2 * 2.0 / 3 * x.word(0, "Data.t", "red"), 1: 2 * 2.0 / 3 * x.word(1, "Data.t", "red"), 3: 2 * 2.0 / 3 * x.word(3, "Data.t", "red"),
		}},
		{"after another fixed begin", `{"fuzzy":{"Data.t":{"value":"rod","fuzziness":1,"prefix_length":2}}}`, scores{}},
		{"a swap", `{"fuzzy":{"Data.t":{"value":"bleu","fuzziness":1}}}`, scores{3: 0.75 * x.word(3, "Data.t", "blue")}},
		{"without swaps", `{"fuzzy":{"Data.t":{"value":"bleu","fuzziness":1,"transpositions":false}}}`, scores{}},
		{"on a keyword", `{"fuzzy":{"Data.k.keyword":{"value":"Bet","fuzziness":1}}}`, each(2.0/3*keywordScore(x, "Data.k", 1), 2)},
		{"one score", `{"fuzzy":{"Data.t":{"value":"rod","fuzziness":1,"rewrite":"constant_score"}}}`, each(1, 0, 1, 3)},
		{"boosts", `{"fuzzy":{"Data.t":{"value":"rod","fuzziness":1,"rewrite":"top_terms_boost_5"}}}`, each(2.0/3, 0, 1, 3)},
	})
}
