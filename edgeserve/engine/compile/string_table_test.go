package compile_test

import (
	"encoding/json"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// TestQueryStrings has the operators, the fields and the kinds of clauses of both syntaxes.
func TestQueryStrings(t *testing.T) {
	x := newIndex(t, animals...)
	w := func(item int, words ...string) (sum float64) {
		for _, word := range words {
			sum += x.word(item, "Data.t", word)
		}
		return sum
	}
	quoted := func(text string) string {
		b, _ := json.Marshal(text)
		return string(b)
	}
	onT := func(text string, options string) string {
		return `{"query_string":{"default_field":"Data.t","query":` + quoted(text) + options + `}}`
	}
	simple := func(text string, options string) string {
		return `{"simple_query_string":{"fields":["Data.t"],"query":` + quoted(text) + options + `}}`
	}
	x.check([]scoreCase{
		{"words", onT("blue quick", ``), scores{2: w(2, "quick"), 3: w(3, "blue")}},
		{"AND", onT("red AND hen", ``), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen")}},
		{"OR after AND", onT("red AND hen OR blue", ``), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen", "blue")}},
		{"AND after OR", onT("red OR hen AND blue", ``), scores{3: w(3, "red", "hen", "blue")}},
		{"NOT", onT("red NOT hen", ``), scores{0: w(0, "red")}},
		{"only NOT", onT("NOT hen", ``), each(0, 0, 2, 4, 5)},
		{"plus and minus", onT("+red -blue hen", ``), scores{0: w(0, "red"), 1: w(1, "red", "hen")}},
		{"a group", onT("(quick blue)^2 AND fox", ``), scores{2: 2*w(2, "quick") + w(2, "fox"), 3: 2*w(3, "blue") + w(3, "fox")}},
		{"AND by default", onT("red hen", `,"default_operator":"and"`), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen")}},
		{"OR with AND by default", onT("quick OR hen blue", `,"default_operator":"and"`), scores{3: w(3, "hen", "blue")}},
		{"a boosted word", onT("quick^3", `,"boost":2`), scores{2: 6 * w(2, "quick")}},
		{"a phrase", onT(`"quick brown"`, ``), scores{2: w(2, "quick", "brown")}},
		{"a sloppy phrase", onT(`"quick fox"~1`, ``), scores{2: halfOf(x, 2, w(2, "quick", "fox"))}},
		{"a phrase with the slop of the query", onT(`"quick fox"`, `,"phrase_slop":1`), scores{2: halfOf(x, 2, w(2, "quick", "fox"))}},
		{"a prefix", onT("QU*", ``), each(1, 2)},
		{"a wildcard", onT("f?x", ``), each(1, 0, 2, 3)},
		{"a regexp", onT("/h[ae]n/", ``), each(1, 1, 3)},
		{"a misspelt word", onT("quik~1", ``), scores{2: 0.75 * w(2, "quick")}},
		{"a range", onT("[brown TO fox}", ``), each(1, 2)},
		{"one side", onT(">quick", ``), each(1, 0, 1, 2, 3)},
		{"another field", onT("Data.n:10 quick", ``), scores{2: w(2, "quick"), 3: 1}},
		{"a range of another field", onT("Data.n:[2 TO 3]", ``), each(1, 1, 2)},
		{"a value exists", onT("_exists_:Data.u", ``), each(1, 2, 4, 5)},
		{"everything", onT("*:*", ``), each(1, 0, 1, 2, 3, 4, 5)},
		{"any value", onT("*", ``), each(1, 0, 1, 2, 3, 4)},
		{"no word", onT(`"-- !"`, ``), nil},
		{"no text", onT("", ``), nil},
		{"a minimum", onT("red hen blue", `,"minimum_should_match":2`), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen", "blue")}},
		{"a minimum of clauses", onT("(red) hen (blue)", `,"minimum_should_match":"100%"`), scores{3: w(3, "red", "hen", "blue")}},
		{"an analyzed prefix", onT("red-qu*", `,"analyze_wildcard":true`), scores{0: w(0, "red"), 1: w(1, "red"), 2: 1, 3: w(3, "red")}},
		{"the best of fields", `{"query_string":{"query":"red","fields":["Data.t","Data.u^4"]}}`, scores{
			0: w(0, "red"), 1: w(1, "red"), 2: 4 * x.word(2, "Data.u", "red"), 3: w(3, "red"),
		}},

		{"simple: words", simple("blue quick", ``), scores{2: w(2, "quick"), 3: w(3, "blue")}},
		{"simple: plus", simple("red + hen", ``), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen")}},
		{"simple: minus", simple("red + -hen", ``), scores{0: w(0, "red") + 1}}, // the exclusion matches everything else with 1
		{"simple: only minus", simple("-hen", ``), each(1, 0, 2, 4, 5)},
		{"simple: or", simple("quick | blue", ``), scores{2: w(2, "quick"), 3: w(3, "blue")}},
		{"simple: and by default", simple("red hen", `,"default_operator":"and"`), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen")}},
		{"simple: a phrase", simple(`"quick brown"`, ``), scores{2: w(2, "quick", "brown")}},
		{"simple: a prefix", simple("qu*", `,"boost":2`), each(2, 2)},
		{"simple: a misspelt word", simple("quik~1", ``), scores{2: 0.75 * w(2, "quick")}},
		{"simple: a group", simple("fox + (quick | blue)", ``), scores{2: w(2, "quick", "fox"), 3: w(3, "blue", "fox")}},
		{"simple: a minimum", simple("red hen blue", `,"minimum_should_match":2`), scores{1: w(1, "red", "hen"), 3: w(3, "red", "hen", "blue")}},
		{"simple: a minimum of more", simple("red + hen", `,"minimum_should_match":3`), nil},
		{"simple: a part without words", simple(`quick + "!"`, ``), scores{2: w(2, "quick")}},
		{"simple: a part without words among others", simple(`(quick "!" blue)`, ``), scores{2: w(2, "quick"), 3: w(3, "blue")}},
		{"simple: no text", simple("", ``), nil},
		{"simple: an open bracket is accepted", simple("(quick", ``), scores{2: w(2, "quick")}},
	})
}

// halfOf is the score that BM25 gives an item for a frequency of one half, if once is the score for the frequency 1.
func halfOf(x *index, item int, once float64) float64 {
	f := x.r.Field("Data.t")
	factor := float64(analysis.LengthFactors(float32(f.Tokens) / float32(f.Docs))[byte(f.Norms().At(snapshot.DocID(item)))])
	return once * (1 + factor) * 0.5 / (0.5 + factor)
}
