// This file tests each highlighter by a table. Expectations are worked out by hand from what Elasticsearch 7.10.2
// documents.

package highlight_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/searchtest"
)

// foxes is a text of five sentences that begin at 0, 20, 39, 59 and 93. It has 115 characters.
const foxes = `The quick fox runs. A lazy dog sleeps. The fox eats bread. Nothing else happens here at all. Foxes are not one fox.`

// tableData has one item: sentences, an array, a text in which the last sentence matches best, and one long sentence.
const tableData = `{"t":"` + foxes + `","list":["red fox","","blue bird","a fox and a fox"],
	"best":"One fox. Two words of nothing in between here. Fox and fox and fox.",
	"long":"one two three four five six seven eight nine ten","short":"Nothing to see","html":"a <b>fox</b> & \"dog\"",
	"n":42,"flag":true,"day":"2021-04-23"}`

// highlightCase is a highlight of an item and its fragments.
type highlightCase struct {
	name  string
	query string
	parts string // members of the highlight
	want  string // the highlight of the hit; none if empty
}

func checkHighlights(t *testing.T, data string, cases []highlightCase) {
	t.Helper()
	r := searchtest.Snaptest(t, searchtest.DataItems(t, data))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var want map[string][]string
			if c.want != "" {
				if err := json.Unmarshal([]byte(c.want), &want); err != nil {
					t.Fatalf("%v: %s", err, c.want)
				}
			}
			got, err := ask(t, r, `{"query":{"bool":{"must":{"match_all":{}},"should":`+c.query+`}},"highlight":{`+c.parts+`}}`)
			if err != nil || !reflect.DeepEqual(got["i000"], want) {
				t.Errorf("got  %q, %v\nwant %q", got["i000"], err, want)
			}
		})
	}
}

// fox looks for a word in t.
const fox = `{"match":{"Data.t":"fox"}}`

// matchFox looks for the word in another field.
func matchFox(field string) string { return `{"match":{"` + field + `":"fox"}}` }

func TestUnified(t *testing.T) {
	const t0 = `"fields":{"Data.t":{}}`
	checkHighlights(t, tableData, []highlightCase{
		{"sentences up to 100 characters", fox, t0,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread. Nothing else happens here at all.","Foxes are not one <em>fox</em>."]}`},
		{"sentences up to 60 characters", fox, `"fragment_size":60,` + t0,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread.","Foxes are not one <em>fox</em>."]}`},
		{"one sentence each", fox, `"fragment_size":0,` + t0, `{"Data.t":["The quick <em>fox</em> runs.","The <em>fox</em> eats bread.","Foxes are not one <em>fox</em>."]}`},
		{"the best two, in the order of the text", fox, `"fragment_size":0,"number_of_fragments":2,` + t0, `{"Data.t":["The quick <em>fox</em> runs.","The <em>fox</em> eats bread."]}`},
		{"the whole text", fox, `"number_of_fragments":0,` + t0,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread. Nothing else happens here at all. Foxes are not one <em>fox</em>."]}`},
		{"by score", matchFox("Data.best"), `"fragment_size":0,"order":"score","fields":{"Data.best":{}}`, `{"Data.best":["<em>Fox</em> and <em>fox</em> and <em>fox</em>.","One <em>fox</em>."]}`},
		{"in the order of the text", matchFox("Data.best"), `"fragment_size":0,"fields":{"Data.best":{}}`, `{"Data.best":["One <em>fox</em>.","<em>Fox</em> and <em>fox</em> and <em>fox</em>."]}`},
		{"the best", matchFox("Data.best"), `"fragment_size":0,"number_of_fragments":1,"fields":{"Data.best":{}}`, `{"Data.best":["<em>Fox</em> and <em>fox</em> and <em>fox</em>."]}`},
		{"a long sentence is cut between words", `{"match":{"Data.long":"four"}}`, `"fragment_size":10,"fields":{"Data.long":{}}`, `{"Data.long":["two three <em>four</em>"]}`},
		{"the rest of the size follows the word", `{"match":{"Data.long":"two"}}`, `"fragment_size":14,"fields":{"Data.long":{}}`, `{"Data.long":["one <em>two</em> three four"]}`},
		{"several words", `{"match":{"Data.t":"bread dog nowhere"}}`, `"fragment_size":0,` + t0, `{"Data.t":["A lazy <em>dog</em> sleeps.","The fox eats <em>bread</em>."]}`},
		{"a phrase marks each of its words, and only in it", `{"match_phrase":{"Data.t":"quick fox"}}`, `"fragment_size":0,` + t0, `{"Data.t":["The <em>quick</em> <em>fox</em> runs."]}`},
		{"a phrase with other words in it", `{"match_phrase":{"Data.t":{"query":"fox bread","slop":1}}}`, `"fragment_size":0,` + t0, `{"Data.t":["The <em>fox</em> eats <em>bread</em>."]}`},
		{"a phrase across words that are not there", `{"match_phrase":{"Data.t":"fox bread"}}`, t0, ``},
		{"the beginning of words", `{"prefix":{"Data.t":"fox"}}`, `"fragment_size":0,"number_of_fragments":9,` + t0, `{"Data.t":["The quick <em>fox</em> runs.","The <em>fox</em> eats bread.","<em>Foxes</em> are not one <em>fox</em>."]}`},
		{"similar words", `{"fuzzy":{"Data.t":{"value":"brad","fuzziness":1}}}`, `"fragment_size":0,` + t0, `{"Data.t":["The fox eats <em>bread</em>."]}`},
		{"values of an array", matchFox("Data.list"), `"fields":{"Data.list":{}}`, `{"Data.list":["red <em>fox</em>","a <em>fox</em> and a <em>fox</em>"]}`},
		{"whole values of an array", matchFox("Data.list"), `"number_of_fragments":0,"fields":{"Data.list":{}}`, `{"Data.list":["red <em>fox</em>","a <em>fox</em> and a <em>fox</em>"]}`},
		{"a whole value", `{"term":{"Data.list.keyword":"red fox"}}`, `"fields":{"Data.list.keyword":{}}`, `{"Data.list.keyword":["<em>red fox</em>"]}`},
		{"words as passages", fox, `"boundary_scanner":"word","number_of_fragments":2,` + t0, `{"Data.t":["<em>fox</em>","<em>fox</em>"]}`},
		{"no match, up to the end of a word", fox, `"fields":{"Data.short":{"no_match_size":9}}`, `{"Data.short":["Nothing to"]}`},
		{"no match, from the middle of a word", fox, `"fields":{"Data.short":{"no_match_size":12}}`, `{"Data.short":["Nothing to see"]}`},
		{"no match, of an array", `{"match":{"Data.list":"nowhere"}}`, `"fields":{"Data.list":{"no_match_size":50}}`, `{"Data.list":["red fox"]}`},
		{"no match", fox, `"fields":{"Data.short":{}}`, ``},
		{"no field", fox, `"fields":{"Data.nope":{"no_match_size":9}}`, ``},
	})
}

func TestHighlightOptions(t *testing.T) {
	const short = `"fragment_size":0,"number_of_fragments":1,`
	checkHighlights(t, tableData, []highlightCase{
		{"tags", fox, short + `"pre_tags":["[","("],"post_tags":["]",")"],"fields":{"Data.t":{}}`, `{"Data.t":["The quick [fox] runs."]}`},
		{"tags of a field", fox, short + `"pre_tags":["["],"post_tags":["]"],"fields":{"Data.t":{"pre_tags":["<"],"post_tags":[">"]}}`, `{"Data.t":["The quick <fox> runs."]}`},
		{"styled tags", fox, short + `"tags_schema":"styled","fields":{"Data.t":{}}`, `{"Data.t":["The quick <em class=\"hlt1\">fox</em> runs."]}`},
		{"encoded text, but not the tags", matchFox("Data.html"), `"encoder":"html","fields":{"Data.html":{}}`, `{"Data.html":["a &lt;b&gt;<em>fox</em>&lt;&#x2F;b&gt; &amp; &quot;dog&quot;"]}`},
		{"text that is not encoded", matchFox("Data.html"), `"fields":{"Data.html":{}}`, `{"Data.html":["a <b><em>fox</em></b> & \"dog\""]}`},
		{"words that are looked for elsewhere", fox, `"require_field_match":false,"fields":{"Data.list":{},"Data.short":{}}`, `{"Data.list":["red <em>fox</em>","a <em>fox</em> and a <em>fox</em>"]}`},
		{"words that are looked for elsewhere do not count by default", fox, `"fields":{"Data.list":{}}`, ``},
		{"another query", fox, short + `"highlight_query":{"match":{"Data.t":"dog"}},"fields":{"Data.t":{}}`, `{"Data.t":["A lazy <em>dog</em> sleeps."]}`},
		{"another query of a field", fox, short + `"fields":{"Data.t":{},"Data.long":{"fragment_size":5,"highlight_query":{"match":{"Data.long":"one"}}}}`, `{"Data.t":["The quick <em>fox</em> runs."],"Data.long":["<em>one</em> two"]}`},
		{"a pattern of fields", `{"multi_match":{"query":"fox see","fields":["Data.*"],"lenient":true}}`, short + `"fields":{"Data.[sb]*":{},"Data.s*":{},"Data.be*":{}}`, `{"Data.short":["Nothing to <em>see</em>"],"Data.best":["<em>Fox</em> and <em>fox</em> and <em>fox</em>."]}`},
		{"fields as an array", fox, `"fields":[{"Data.t":{"fragment_size":0,"number_of_fragments":1}}]`, `{"Data.t":["The quick <em>fox</em> runs."]}`},
		{"a filter is marked", `{"bool":{"filter":` + fox + `}}`, short + `"fields":{"Data.t":{}}`, `{"Data.t":["The quick <em>fox</em> runs."]}`},
		{"what must not match is not", `{"bool":{"must":{"match":{"Data.t":"dog"}},"must_not":{"match":{"Data.t":"cat"}}}}`, short + `"fields":{"Data.t":{}}`, `{"Data.t":["A lazy <em>dog</em> sleeps."]}`},
		{"words of a query string", `{"query_string":{"query":"+dog -cat bre*","fields":["Data.t"]}}`, `"fragment_size":0,"fields":{"Data.t":{}}`, `{"Data.t":["A lazy <em>dog</em> sleeps.","The fox eats <em>bread</em>."]}`},
		{"numbers, booleans and dates have no marks", `{"bool":{"should":[{"term":{"Data.n":42}},{"term":{"Data.flag":true}},{"range":{"Data.day":{"gte":"2021"}}}]}}`, `"fields":{"Data.n":{},"Data.flag":{},"Data.day":{}}`, ``},
	})
}

func TestPlain(t *testing.T) {
	const plain = `"type":"plain",`
	checkHighlights(t, tableData, []highlightCase{
		{"a rest below half of the size is not a fragment", fox, plain + `"fields":{"Data.t":{}}`,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread. Nothing else happens here at all. Foxes are not one <em>fox</em>."]}`},
		{"the simple fragmenter makes it one", fox, plain + `"fragmenter":"simple","fields":{"Data.t":{}}`,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread. Nothing else happens here at all. Foxes"," are not one <em>fox</em>."]}`},
		{"fragments of 40 characters begin after the last word", fox, plain + `"fragment_size":40,"fields":{"Data.t":{}}`,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps",". The <em>fox</em> eats bread. Nothing else happens"," here at all. Foxes are not one <em>fox</em>."]}`},
		{"the first two of equal ones", fox, plain + `"fragment_size":40,"number_of_fragments":2,"fields":{"Data.t":{}}`,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps",". The <em>fox</em> eats bread. Nothing else happens"]}`},
		{"fragments with more words are first", `{"match":{"Data.t":"fox happens bread"}}`, plain + `"fragment_size":40,"number_of_fragments":1,"fields":{"Data.t":{}}`,
			`{"Data.t":[". The <em>fox</em> eats <em>bread</em>. Nothing else <em>happens</em>"]}`},
		{"a repeated word counts once", matchFox("Data.best"), plain + `"fragment_size":20,"number_of_fragments":1,"fields":{"Data.best":{}}`, `{"Data.best":["One <em>fox</em>. Two words"]}`},
		{"the whole text", fox, plain + `"number_of_fragments":0,"fragment_size":10,"fields":{"Data.t":{}}`,
			`{"Data.t":["The quick <em>fox</em> runs. A lazy dog sleeps. The <em>fox</em> eats bread. Nothing else happens here at all. Foxes are not one <em>fox</em>."]}`},
		{"a phrase marks each of its words, and only in it", `{"match_phrase":{"Data.t":"quick fox"}}`, plain + `"fragment_size":20,"fields":{"Data.t":{}}`, `{"Data.t":["The <em>quick</em> <em>fox</em> runs"]}`},
		{"a fragment ends after a phrase and one more word", `{"match_phrase":{"Data.long":"two three four"}}`, plain + `"fragment_size":18,"fields":{"Data.long":{}}`, `{"Data.long":["one <em>two</em> <em>three</em> <em>four</em> five"]}`},
		{"the simple fragmenter cuts a phrase", `{"match_phrase":{"Data.long":"two three four"}}`, plain + `"fragment_size":18,"fragmenter":"simple","fields":{"Data.long":{}}`,
			`{"Data.long":["one <em>two</em> <em>three</em>"," <em>four</em> five six seven"]}`},
		{"fragments with more words are first, in a text too", `{"match_phrase":{"Data.long":"three four five"}}`, plain + `"fragment_size":18,"fragmenter":"simple","fields":{"Data.long":{}}`,
			`{"Data.long":[" <em>four</em> <em>five</em> six seven","one two <em>three</em>"]}`},
		{"values of an array", matchFox("Data.list"), plain + `"fields":{"Data.list":{}}`, `{"Data.list":["red <em>fox</em>","a <em>fox</em> and a <em>fox</em>"]}`},
		{"the best value of an array", `{"match":{"Data.list":"fox and"}}`, plain + `"order":"score","number_of_fragments":1,"fields":{"Data.list":{}}`, `{"Data.list":["a <em>fox</em> <em>and</em> a <em>fox</em>"]}`},
		{"the first value of an array", `{"match":{"Data.list":"fox and"}}`, plain + `"number_of_fragments":1,"fields":{"Data.list":{}}`, `{"Data.list":["red <em>fox</em>"]}`},
		{"whole values of an array", matchFox("Data.list"), plain + `"number_of_fragments":0,"fields":{"Data.list":{}}`, `{"Data.list":["red <em>fox</em>","a <em>fox</em> and a <em>fox</em>"]}`},
		{"no match: the words that fit", fox, plain + `"fields":{"Data.short":{"no_match_size":9}}`, `{"Data.short":["Nothing"]}`},
		{"no match: a word that ends at the size", fox, plain + `"fields":{"Data.short":{"no_match_size":10}}`, `{"Data.short":["Nothing to"]}`},
		{"no match: not even one word", fox, plain + `"fields":{"Data.short":{"no_match_size":6}}`, ``},
		{"the beginning of words", `{"prefix":{"Data.t":"foxe"}}`, plain + `"fragment_size":40,"fields":{"Data.t":{}}`, `{"Data.t":[" here at all. <em>Foxes</em> are not one fox."]}`},
		{"encoded text", matchFox("Data.html"), plain + `"encoder":"html","fields":{"Data.html":{}}`, `{"Data.html":["a &lt;b&gt;<em>fox</em>&lt;&#x2F;b&gt; &amp; &quot;dog&quot;"]}`},
		{"words that are looked for elsewhere", fox, plain + `"require_field_match":false,"pre_tags":["["],"post_tags":["]"],"fields":{"Data.list":{"number_of_fragments":1}}`, `{"Data.list":["red [fox]"]}`},
	})
}

// Each refusal says what to do.
func TestRefusedHighlights(t *testing.T) {
	r := searchtest.Snaptest(t, searchtest.DataItems(t, tableData))
	for _, c := range []struct{ highlight, message string }{
		{`{"type":"fvh","fields":{"Data.t":{}}}`, "term vectors"},
		{`{"fields":{"Data.t":{"type":"fvh"}}}`, "term vectors"},
		{`{"type":"nope","fields":{"Data.t":{}}}`, "unified"},
		{`{"pre_tags":["["],"fields":{"Data.t":{}}}`, "give both"},
	} {
		var e *query.Error
		if _, err := ask(t, r, `{"query":`+fox+`,"highlight":`+c.highlight+`}`); !errors.As(err, &e) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q", c.highlight, err, c.message)
		}
	}
}
