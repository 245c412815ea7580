package highlight_test

import (
	"fmt"
	"reflect"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// Queries about places in a text mark the same words as in Elasticsearch.
func TestPlaces(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"The End","Data":{"t":"the fox and the dog of the end","w":["dog","end"]}}`})
	for _, c := range []struct{ kind, query, want string }{
		{"unified", `{"span_near":{"clauses":[{"span_term":{"Data.t":"of"}},{"span_term":{"Data.t":"the"}}],"slop":0}}`, "the fox and the dog <of> <the> end"},
		{"plain", `{"span_near":{"clauses":[{"span_term":{"Data.t":"of"}},{"span_term":{"Data.t":"the"}}],"slop":0}}`, "the fox and the dog <of> <the> end"},
		{"unified", `{"span_first":{"match":{"span_multi":{"match":{"prefix":{"Data.t":"t"}}}},"end":4}}`, "<the> fox and <the> dog of the end"},
		{"unified", `{"span_not":{"include":{"span_term":{"Data.t":"the"}},"exclude":{"span_term":{"Data.t":"of"}},"pre":1}}`, "<the> fox and <the> dog of <the> end"},
		{"plain", `{"span_not":{"include":{"span_term":{"Data.t":"the"}},"exclude":{"span_term":{"Data.t":"of"}},"pre":1}}`, "<the> fox and <the> dog of the end"},
		{"plain", `{"span_within":{"big":{"span_near":{"clauses":[{"span_term":{"Data.t":"fox"}},{"span_term":{"Data.t":"dog"}}],"slop":9}},"little":{"span_term":{"Data.t":"the"}}}}`, "the fox and <the> dog of the end"},
		{"unified", `{"span_near":{"clauses":[{"field_masking_span":{"query":{"span_term":{"Name":"end"}},"field":"Data.t"}},{"span_term":{"Data.t":"the"}}],"slop":4,"in_order":false}}`, "<the> fox and <the> dog of <the> end"},
		{"unified", `{"intervals":{"Data.t":{"match":{"query":"dog end","filter":{"not_containing":{"match":{"query":"fox"}}}}}}}`, "the fox and the <dog> of the <end>"},
		{"unified", `{"intervals":{"Data.t":{"any_of":{"intervals":[{"prefix":{"prefix":"en"}},{"wildcard":{"pattern":"D?g"}},{"fuzzy":{"term":"fix"}}]}}}}`, "the <fox> and the <dog> of the <end>"},
		{"plain", `{"intervals":{"Data.t":{"any_of":{"intervals":[{"prefix":{"prefix":"en"}},{"match":{"query":"fox"}}]}}}}`, "the <fox> and the dog of the end"},
		{"unified", `{"query_string":{"query":"Data.t:[* TO *]"}}`, "<the> <fox> <and> <the> <dog> <of> <the> <end>"},
		{"plain", `{"query_string":{"query":"<\\*","default_field":"Data.t"}}`, "<the> <fox> <and> <the> <dog> <of> <the> <end>"},
		{"unified", `{"simple_query_string":{"query":"<fox | >end"}}`, "the <fox> and the dog of the <end>"},
		{"unified", `{"terms":{"Data.t":{"index":"demo","id":"a","path":"Data.w"}}}`, "the fox and the <dog> of the <end>"},
		{"plain", `{"query_string":{"query":"Data.t:fox~-1 OR Data.t:end","lenient":true}}`, "the fox and the dog of the <end>"},
		{"plain", `{"bool":{"should":[{"match":{"Data.t":"dog"}},{"intervals":{"Data.t":{"match":{"query":"fox"}}}}]}}`, "the fox and the <dog> of the end"},
	} {
		got, err := ask(t, r, fmt.Sprintf(`{"query":%s,"highlight":{"type":%q,"number_of_fragments":0,"pre_tags":["<"],"post_tags":[">"],"fields":{"Data.t":{}}}}`, c.query, c.kind))
		if want := (highlights{"a": {"Data.t": {c.want}}}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s\n got %q, %v\nwant %q", c.kind, c.query, got, err, c.want)
		}
	}
}

// A query marks no words if the fields and dates of all items show that it can match nothing.
func TestNothingMarked(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"the fox"}}`})
	for _, c := range []struct{ beside, want string }{
		{`{"ids":{"values":[]}}`, "the fox"},
		{`{"match_none":{}}`, "the fox"},
		{`{"range":{"CreatedAt":{"lt":"2021"}}}`, "the fox"},
		{`{"bool":{"should":[{"term":{"Data.nope":"x"}}]}}`, "the fox"},
		{`{"match":{"Data.nope":"x"}}`, "the <fox>"},
		{`{"ids":{"values":["b"]}}`, "the <fox>"},
	} {
		marks := `{"bool":{"must":[{"match":{"Data.t":"fox"}},` + c.beside + `]}}`
		for _, body := range []string{
			`{"query":{"bool":{"should":[{"match_all":{}},` + marks + `]}},"highlight":{"no_match_size":9,"pre_tags":["<"],"post_tags":[">"],"fields":{"Data.t":{}}}}`,
			`{"highlight":{"highlight_query":` + marks + `,"no_match_size":9,"pre_tags":["<"],"post_tags":[">"],"fields":{"Data.t":{}}}}`,
		} {
			got, err := ask(t, r, body)
			if want := (highlights{"a": {"Data.t": {c.want}}}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %q, %v\nwant %q", body, got, err, c.want)
			}
		}
	}
}

// The unified highlighter does not look into a bool that excludes a clause which it requires.
func TestExcludedMarks(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"the fox"}}`})
	const fox, other = `{"match":{"Data.t":"fox"}}`, `{"match":{"Data.t":{"query":"fox","boost":2}}}`
	for _, c := range []struct{ kind, query, want string }{
		{"unified", `{"must":` + fox + `,"must_not":` + fox + `}`, "the fox"},
		{"unified", `{"must":{"query_string":{"query":"fox -*"}}}`, "the fox"},
		{"unified", `{"must":{"query_string":{"query":"the (fox NOT *:*)"}}}`, "<the> fox"},
		{"unified", `{"must":{"query_string":{"query":"fox -*","fields":["Data.t"]}}}`, "the <fox>"},
		{"unified", `{"filter":` + fox + `,"must_not":[{"match_none":{}},` + fox + `]}`, "the fox"},
		{"unified", `{"should":` + fox + `,"must_not":{"dis_max":{"queries":[{"bool":{}}]}}}`, "the fox"},
		{"unified", `{"should":` + fox + `,"must_not":{"match_all":{"boost":2}}}`, "the <fox>"},
		{"unified", `{"should":` + fox + `,"must_not":` + fox + `}`, "the <fox>"},
		{"unified", `{"must":` + fox + `,"must_not":` + other + `}`, "the <fox>"},
		{"plain", `{"must":` + fox + `,"must_not":` + fox + `}`, "the <fox>"},
	} {
		body := `{"highlight":{"highlight_query":{"bool":` + c.query + `},"type":"` + c.kind + `","no_match_size":9,"pre_tags":["<"],"post_tags":[">"],"fields":{"Data.t":{}}}}`
		got, err := ask(t, r, body)
		if want := (highlights{"a": {"Data.t": {c.want}}}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %q, %v\nwant %q", body, got, err, c.want)
		}
	}
}

// Escaped letters of a wildcard keep their case. Words are in lower case, so capital letters match none.
func TestEscapedLetters(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"the fox"}}`})
	for pattern, want := range map[string]highlights{`*F?x*`: {"a": {"Data.t": {"the <em>fox</em>"}}}, `*F\\o?*`: {"a": {"Data.t": {"the <em>fox</em>"}}}, `*F\\O?*`: {"a": {"Data.t": {"<em>the</em> <em>fox</em>"}}}} {
		got, err := ask(t, r, `{"query":{"wildcard":{"Data.t":"`+pattern+`"}},"highlight":{"fields":{"Data.t":{}}}}`)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", pattern, got, err)
		}
	}
}

// A pattern that matches a value but none of its words marks all words of the value. It marks nothing in
// other values.
func TestPatternsOfWholeValues(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":["Quick brown fox","brown bear","quick"]}}`})
	for pattern, want := range map[string]string{
		`quick*fox`:  "[<Quick> <brown> <fox>]",
		`Quick bro*`: "[<Quick> <brown> <fox>]",
		`* bea?`:     "[<brown> <bear>]",
		`*fox`:       "[Quick brown <fox>]",
		`qu*`:        "[<Quick> brown fox <quick>]",
		`quick`:      "[<Quick> brown fox <quick>]",
		`brown bear`: "[<brown> <bear>]",
	} {
		for _, kind := range []string{"plain", "unified"} {
			got, err := ask(t, r, `{"query":{"wildcard":{"Data.t":"`+pattern+`"}},"highlight":{"type":"`+kind+`","pre_tags":["<"],"post_tags":[">"],"fields":{"Data.t":{}}}}`)
			if text := fmt.Sprint(got["a"]["Data.t"]); err != nil || text != want {
				t.Errorf("%s %s: %s %v, want %s", kind, pattern, text, err, want)
			}
		}
	}
}

// A query on booleans looks for the letters T and F in texts of other fields, as in Elasticsearch.
func TestLettersOfBooleans(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"b":true,"t":"T true t"}}`})
	for term, want := range map[string]string{`"true"`: "", `{"value":"true","case_insensitive":true}`: "<T> true <t>"} {
		for _, kind := range []string{"plain", "unified"} {
			got, err := ask(t, r, `{"query":{"match_all":{}},"highlight":{"type":"`+kind+`","require_field_match":false,"pre_tags":["<"],"post_tags":[">"],"number_of_fragments":0,"fields":{"Data.t":{}},"highlight_query":{"term":{"Data.b":`+term+`}}}}`)
			if err != nil || len(got["a"]["Data.t"]) > 0 && got["a"]["Data.t"][0] != want || (want == "") != (len(got) == 0) {
				t.Errorf("%s %s: %q, %v, want %q", kind, term, got, err, want)
			}
		}
	}
}

// Patterns and spans of a field that no item has mark words of other fields, as in Elasticsearch.
func TestUnknownFields(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"the fox"}}`})
	marked := highlights{"a": {"Data.t": {"the <em>fox</em>"}}}
	for _, c := range []struct {
		query string
		want  highlights
	}{
		{`{"regexp":{"Data.nope":"f.x"}}`, marked},
		{`{"span_term":{"Data.nope":"fox"}}`, marked},
		{`{"span_multi":{"match":{"regexp":{"Data.nope":"f.x"}}}}`, marked},
		{`{"span_multi":{"match":{"fuzzy":{"Data.nope":"fix"}}}}`, highlights{}},
		{`{"term":{"Data.nope":"fox"}}`, highlights{}},
		{`{"prefix":{"Data.nope":"fo"}}`, highlights{}},
	} {
		for ownField, want := range map[string]highlights{"true": {}, "false": c.want} {
			got, err := ask(t, r, `{"highlight":{"require_field_match":`+ownField+`,"fields":{"Data.t":{}},"highlight_query":`+c.query+`}}`)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: %v, %v", c.query, ownField, got, err)
			}
		}
	}
}

// A lenient range whose bounds are not booleans marks nothing for a field of booleans.
func TestRangeOfBooleans(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"b":true,"t":"the fox"}}`})
	for query, want := range map[string]highlights{">n": {"a": {"Data.t": {"<em>the</em> fox"}}}, "Data.b:>n": {}} {
		got, err := ask(t, r, `{"highlight":{"require_field_match":false,"fields":{"Data.t":{}},"highlight_query":{"query_string":{"lenient":true,"query":"`+query+`"}}}}`)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", query, got, err)
		}
	}
}

// TestPrefixOfPhrase checks that a phrase prefix marks every word that begins with its last word, also
// in a query string.
func TestPrefixOfPhrase(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"red fob then red fog"}}`})
	want := highlights{"a": {"Data.t": {"<em>red</em> <em>fob</em> then <em>red</em> <em>fog</em>"}}}
	for _, kind := range []string{"plain", "unified"} {
		got, err := ask(t, r, `{"query":{"query_string":{"query":"Data.t:(red fo)","type":"phrase_prefix"}},"highlight":{"type":"`+kind+`","fields":{"Data.t":{}}}}`)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, %v, want %q", kind, got, err, want)
		}
	}
}
