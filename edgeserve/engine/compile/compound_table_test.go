package compile_test

import "testing"

// tq is a term query of the text, for queries that hold queries.
func tq(word string) string { return `{"term":{"Data.t":"` + word + `"}}` }

// atLeastTwo matches what has a score of 2 or more. A boost of 3 lets everything match.
const atLeastTwo = `{"function_score":{"query":{"match_all":{}},"min_score":2}}`

func TestCompounds(t *testing.T) {
	x := newIndex(t, animals...)
	w := func(item int, words ...string) (sum float64) {
		for _, word := range words {
			sum += x.word(item, "Data.t", word)
		}
		return sum
	}
	x.check([]scoreCase{
		{"must and filter", `{"bool":{"must":` + tq("red") + `,"filter":` + tq("fox") + `}}`, scores{0: w(0, "red"), 3: w(3, "red")}},
		{"boost of a bool", `{"bool":{"must":` + tq("red") + `,"filter":` + tq("fox") + `,"boost":2}}`, scores{0: 2 * w(0, "red"), 3: 2 * w(3, "red")}},
		{"boost of 0", `{"bool":{"must":` + tq("red") + `,"boost":0}}`, each(0, 0, 1, 3)},
		{"boosts multiply", `{"bool":{"must":{"bool":{"must":` + tq("quick") + `,"boost":3}},"boost":2}}`, scores{2: 6 * w(2, "quick")}},
		{"should", `{"bool":{"should":[` + tq("quick") + `,` + tq("blue") + `]}}`, scores{2: w(2, "quick"), 3: w(3, "blue")}},
		{"must and should", `{"bool":{"must":` + tq("red") + `,"should":` + tq("fox") + `}}`, scores{0: w(0, "red", "fox"), 1: w(1, "red"), 3: w(3, "red", "fox")}},
		{"must_not", `{"bool":{"must_not":` + tq("red") + `}}`, each(0, 2, 4, 5)},
		{"must and must_not", `{"bool":{"must":` + tq("red") + `,"must_not":` + tq("fox") + `}}`, scores{1: w(1, "red")}},
		{"filter", `{"bool":{"filter":` + tq("red") + `}}`, each(0, 0, 1, 3)},
		{"filter and should", `{"bool":{"filter":` + tq("red") + `,"should":` + tq("hen") + `}}`, scores{0: 0, 1: w(1, "hen"), 3: w(3, "hen")}},
		{"two of three", `{"bool":{"should":[` + tq("red") + `,` + tq("fox") + `,` + tq("hen") + `],"minimum_should_match":2}}`, scores{
			0: w(0, "red", "fox"), 1: w(1, "red", "hen"), 3: w(3, "red", "fox", "hen"),
		}},
		{"all but one of three", `{"bool":{"should":[` + tq("red") + `,` + tq("fox") + `,` + tq("hen") + `],"minimum_should_match":-1}}`, scores{
			0: w(0, "red", "fox"), 1: w(1, "red", "hen"), 3: w(3, "red", "fox", "hen"),
		}},
		{"three quarters of three", `{"bool":{"should":[` + tq("red") + `,` + tq("fox") + `,` + tq("hen") + `],"minimum_should_match":"75%"}}`, scores{
			0: w(0, "red", "fox"), 1: w(1, "red", "hen"), 3: w(3, "red", "fox", "hen"),
		}},
		{"all of more than two", `{"bool":{"should":[` + tq("red") + `,` + tq("fox") + `,` + tq("hen") + `],"minimum_should_match":"2<100%"}}`, scores{3: w(3, "red", "fox", "hen")}},
		{"more than there are", `{"bool":{"should":[` + tq("red") + `],"minimum_should_match":2}}`, scores{}},
		{"none of the shoulds", `{"bool":{"must":` + tq("hen") + `,"should":` + tq("blue") + `,"minimum_should_match":0}}`, scores{1: w(1, "hen"), 3: w(3, "hen", "blue")}},
		{"one of the shoulds next to a must", `{"bool":{"must":` + tq("hen") + `,"should":` + tq("blue") + `,"minimum_should_match":1}}`, scores{3: w(3, "hen", "blue")}},
		{"filters keep a boost next to other clauses", `{"bool":{"filter":` + atLeastTwo + `,"should":` + tq("quick") + `,"must_not":` + tq("hen") + `,"boost":3}}`, scores{0: 0, 2: 3 * w(2, "quick"), 4: 0, 5: 0}},
		{"two filters keep a boost", `{"bool":{"filter":[` + atLeastTwo + `,` + tq("blue") + `],"boost":3}}`, each(0, 3)},
		{"an only filter loses its boost", `{"bool":{"filter":` + atLeastTwo + `,"boost":3}}`, scores{}},
		{"an only filter after equal ones loses its boost", `{"bool":{"must":{"match_all":{}},"filter":[` + atLeastTwo + `,` + atLeastTwo + `],"boost":3}}`, scores{}},
		{"without clauses", `{"bool":{"boost":2}}`, each(2, 0, 1, 2, 3, 4, 5)},

		{"constant_score", `{"constant_score":{"filter":` + tq("red") + `,"boost":1.5}}`, each(1.5, 0, 1, 3)},
		{"constant_score within", `{"bool":{"should":[{"constant_score":{"filter":` + tq("hen") + `}},` + tq("blue") + `],"boost":2}}`, scores{1: 2, 3: 2 + 2*w(3, "blue")}},
		{"constant_score of what scores", `{"constant_score":{"filter":{"bool":{"must":` + tq("red") + `,"boost":7}}}}`, each(1, 0, 1, 3)},
		{"constant_score of a least score", `{"constant_score":{"filter":{"bool":{"must":[{"function_score":{"query":{"match_all":{}},"min_score":2}}],"boost":3}}}}`, scores{}},

		{"dis_max", `{"dis_max":{"queries":[` + tq("red") + `,` + tq("fox") + `]}}`, scores{
			0: max(w(0, "red"), w(0, "fox")), 1: w(1, "red"), 2: w(2, "fox"), 3: max(w(3, "red"), w(3, "fox")),
		}},
		{"dis_max with a share", `{"dis_max":{"queries":[` + tq("red") + `,` + tq("hen") + `],"tie_breaker":0.5,"boost":2}}`, scores{
			0: 2 * w(0, "red"), 1: max(w(1, "red"), w(1, "hen")) + w(1, "red", "hen"), 3: max(w(3, "red"), w(3, "hen")) + w(3, "red", "hen"),
		}},
		{"boosting", `{"boosting":{"positive":` + tq("red") + `,"negative":` + tq("fox") + `,"negative_boost":0.2,"boost":3}}`, scores{
			0: 0.6 * w(0, "red"), 1: 3 * w(1, "red"), 3: 0.6 * w(3, "red"),
		}},
		{"terms_set", `{"terms_set":{"Data.t":{"terms":["red","fox","quick"],"minimum_should_match_field":"Data.n"}}}`, scores{0: w(0, "red", "fox")}},
		{"terms_set of no word", `{"terms_set":{"Data.t":{"terms":[],"minimum_should_match_field":"Data.n"}}}`, scores{}},
	})
}

func TestMatches(t *testing.T) {
	x := newIndex(t, animals...)
	w := func(item int, words ...string) (sum float64) {
		for _, word := range words {
			sum += x.word(item, "Data.t", word)
		}
		return sum
	}
	u := func(item int, word string) float64 { return x.word(item, "Data.u", word) }
	x.check([]scoreCase{
		{"match", `{"match":{"Data.t":"Quick RED"}}`, scores{0: w(0, "red"), 1: w(1, "red"), 2: w(2, "quick"), 3: w(3, "red")}},
		{"match with and", `{"match":{"Data.t":{"query":"red hen","operator":"and","boost":2}}}`, scores{1: 2 * w(1, "red", "hen"), 3: 2 * w(3, "red", "hen")}},
		{"match with a minimum", `{"match":{"Data.t":{"query":"red hen blue","minimum_should_match":"67%"}}}`, scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen", "blue")}},
		{"match without words", `{"match":{"Data.t":"-- !"}}`, scores{}},
		{"match without words finds all", `{"match":{"Data.t":{"query":"-- !","zero_terms_query":"all"}}}`, each(1, 0, 1, 2, 3, 4, 5)},
		{"match on a number", `{"match":{"Data.n":"10"}}`, each(1, 3)},
		{"match on a number, lenient", `{"match":{"Data.n":{"query":"ten","lenient":true}}}`, scores{}},
		{"match of misspelt words", `{"match":{"Data.t":{"query":"qick blux","fuzziness":1}}}`, scores{2: 0.75 * w(2, "quick"), 3: 0.75 * w(3, "blue")}},

		{"phrase in one value", `{"match_phrase":{"Data.t":"red hen"}}`, scores{
			1: w(1, "hen") * (1 + w(3, "red")/w(3, "hen")), 3: w(3, "red", "hen"), // red is twice in item 1, but the phrase once
		}},
		{"phrase over two values", `{"match_phrase":{"Data.t":"fox red"}}`, scores{}},
		{"phrase of one word", `{"match_phrase":{"Data.t":"quick"}}`, scores{2: w(2, "quick")}},
		{"phrase without words", `{"match_phrase":{"Data.t":{"query":"!","zero_terms_query":"all"}}}`, each(1, 0, 1, 2, 3, 4, 5)},
		{"phrase with a word of no item", `{"match_phrase":{"Data.t":"red owl"}}`, scores{}},
		{"phrase on a number", `{"match_phrase":{"Data.n":"10"}}`, each(1, 3)},
		{"phrase in the text of a date", `{"match_phrase":{"Data.d":"2021 01 02T10"}}`, each(1, 1)},
		{"phrase prefix of two words", `{"match_phrase_prefix":{"Data.t":"quick br"}}`, scores{2: w(2, "quick", "brown")}},
		{"phrase prefix with a word of no item", `{"match_phrase_prefix":{"Data.t":"owl br"}}`, scores{}},
		{"phrase prefix that no word has", `{"match_phrase_prefix":{"Data.t":"quick z"}}`, scores{}},
		{"phrase prefix with a slop", `{"match_phrase_prefix":{"Data.t":{"query":"quick fo","slop":1}}}`, scores{2: halfOf(x, 2, w(2, "quick", "fox")+x.asCommon(2, "Data.t", "fox", 1))}}, // foxes is in one item
		{"phrase prefix of one word", `{"match_phrase_prefix":{"Data.t":"qu"}}`, scores{2: w(2, "quick")}},
		{"phrase prefix on a date", `{"match_phrase_prefix":{"Data.d":"2021-01"}}`, each(1, 0, 1, 3)},
		{"phrase prefix with one expansion", `{"match_phrase_prefix":{"Data.t":{"query":"b","max_expansions":1}}}`, scores{3: w(3, "blue")}},

		{"bool prefix", `{"match_bool_prefix":{"Data.t":"hen b"}}`, scores{1: w(1, "hen"), 2: 1, 3: w(3, "hen") + 1}},
		{"bool prefix after a blank", `{"match_bool_prefix":{"Data.t":"blue hen "}}`, scores{1: w(1, "hen"), 3: w(3, "blue", "hen")}},
		{"bool prefix with and", `{"match_bool_prefix":{"Data.t":{"query":"hen b","operator":"and"}}}`, scores{3: w(3, "hen") + 1}},
		{"bool prefix on a keyword", `{"match_bool_prefix":{"Data.k.keyword":"al"}}`, each(1, 1)},

		{"best fields", `{"multi_match":{"query":"red","fields":["Data.t","Data.u^2"]}}`, scores{0: w(0, "red"), 1: w(1, "red"), 2: 2 * u(2, "red"), 3: w(3, "red")}},
		{"best fields with a share", `{"multi_match":{"query":"brown red","fields":["Data.t","Data.u"],"tie_breaker":0.5}}`, scores{
			0: w(0, "red"), 1: w(1, "red"), 3: w(3, "red"),
			2: max(w(2, "brown"), u(2, "red")) + 0.5*min(w(2, "brown"), u(2, "red")),
		}},
		{"most fields", `{"multi_match":{"query":"brown red","fields":["Data.t","Data.u"],"type":"most_fields"}}`, scores{
			0: w(0, "red"), 1: w(1, "red"), 3: w(3, "red"), 2: w(2, "brown") + u(2, "red"),
		}},
		{"fields with and", `{"multi_match":{"query":"brown red","fields":["Data.t","Data.u"],"operator":"and"}}`, scores{}},
		{"fields by a pattern", `{"multi_match":{"query":"the","fields":["Data.u*"]}}`, scores{5: u(5, "the")}},
		{"phrase in fields", `{"multi_match":{"query":"quick brown","fields":["Data.t","Data.u"],"type":"phrase"}}`, scores{2: w(2, "quick", "brown")}},
		{"bool prefix in fields", `{"multi_match":{"query":"fo","fields":["Data.t","Data.u"],"type":"bool_prefix"}}`, scores{0: 1, 2: 1, 3: 1, 4: 2}},
		{"cross fields need each word in any field", `{"multi_match":{"query":"quick red","fields":["Data.t","Data.u"],"type":"cross_fields","operator":"and"}}`, scores{
			2: w(2, "quick") + x.asCommon(2, "Data.u", "red", 4),
		}},
	})
}
