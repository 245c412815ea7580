// This file tests that what a search costs is counted wherever the cost lies, so that a
// body that asks for too much is refused soon.

package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// repeat is a part many times over, each with its number in it.
func repeat(part, separator string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(part, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, separator)
}

func queryString(text string) string {
	b, _ := json.Marshal(text) // a string
	return fmt.Sprintf(`{"query_string":{"query":%s}}`, b)
}

// anyOf is a rule of intervals with a number of alternatives.
func anyOf(text string, n int) string {
	return `{"any_of":{"intervals":[` + repeat(`{"match":{"query":"`+text+`","max_gaps":150}}`, ",", n) + `]}}`
}

// crowd is some thousand items of the same words.
func crowd() snaptest.Env {
	words := repeat("w#", " ", 200)
	e := snaptest.Env{Items: make([]string, 4000)}
	for i := range e.Items {
		e.Items[i] = fmt.Sprintf(`{"ContentID":"c%d","Name":"n%d","Data":{"a":"%s"}}`, i, i%7, words)
	}
	return e
}

func TestTooCostly(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	r := snaptest.Open(t, crowd())
	matchAll := `{"match_all":{}}`
	for _, c := range []struct{ name, query string }{
		{"expressions that are too complex", queryString(repeat("/[ab]*a[ab]{20}#/", " ", 800))},
		{"expressions that are not", queryString(repeat("/[ab]*a[ab]{11}#/", " ", 800))},
		{"long patterns", queryString(repeat(strings.Repeat("*x", 1000)+"#", " ", 500))},
		{"words to be counted", `{"bool":{"should":[` + repeat(`{"match":{"Data.a":{"query":"`+repeat("w#", " ", 200)+`","minimum_should_match":2}}}`, ",", 80) + `],"minimum_should_match":2}}`},
		{"everything again and again", `{"bool":{"must":[` + strings.Repeat(`{"bool":{"must":[`+repeat(matchAll, ",", 1000)+`]}},`, 8) + matchAll + `]}}`},
		{"alternatives of intervals", `{"intervals":{"Data.a":{"all_of":{"max_gaps":150,"intervals":[` + anyOf("w# w#0", 20) + "," + anyOf("w#1 w#", 20) + `]}}}}`},
		{"intervals to be counted", `{"bool":{"should":[` + repeat(`{"intervals":{"Data.a":{"match":{"query":"`+repeat("w#", " ", 200)+`"}}}}`, ",", 20) + `]}}`},
		{"prefixes", queryString(repeat("w*", " ", 1000))},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := body.Parse([]byte(`{"query":` + c.query + `}`))
			if err != nil {
				t.Fatal(err)
			}
			b := scorer.NewWorkLimit(t.Context())
			_, err = EvalWithin(b, r, body)
			if b.Affords(0) {
				t.Error("it was refused for its cursors")
			}
			if e := (*query.Error)(nil); !errors.As(err, &e) || e.Code != "too_costly" {
				t.Errorf("got %v after %d steps, want too_costly", err, b.Work())
			}
		})
	}
}

// What a body asks for beside its query is charged too, and takes no longer.
func TestTooCostlyMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	r := snaptest.Open(t, crowd())
	words := repeat("w#", " ", 200)
	unmapped := func(end string) string {
		return `{"query_string":{"default_field":"Data.b","query":"\"a\" \"b` + end + `\""}}`
	}
	for _, c := range []struct{ name, body string }{
		{"texts of many words, all of which may change", `{"suggest":{"s":{"text":"` + repeat("wx#", " ", 40) + `","phrase":{"field":"Data.a","size":100,"max_errors":40,"token_limit":1000,"confidence":0,"gram_size":3,
			"direct_generator":[{"field":"Data.a","size":100,"suggest_mode":"always","min_word_length":1,"max_inspections":100}]}}}}`},
		{"explanations of many clauses of many hits", `{"size":4000,"explain":true,"_source":false,"query":{"match":{"Data.a":"` + words + `"}}}`},
		{"explanations of phrases", `{"size":4000,"explain":true,"_source":false,"query":{"match_phrase":{"Data.a":"` + words + `"}}}`},
		{"buckets sorted again and again", `{"size":0,"query":{"terms":{"Name.keyword":["n0","n1","n2"]}},
			"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":4000},"aggs":{` + repeat(`"s#":{"bucket_sort":{"sort":[`+repeat(`"_count"`, ",", 32)+`]}}`, ",", 98) + `}}}}`},
		{"names of many queries in buckets", `{"size":0,"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":4000},"aggs":{"h":{"top_hits":{}}}}},"query":{"bool":{"should":[` + repeat(`{"match_all":{"_name":"n"}}`, ",", 1000) + `]}}}`},
		{"what a bool requires and excludes", `{"highlight":{"fields":{"Data.a":{}},"highlight_query":{"bool":{"must":[` + repeat(unmapped(""), ",", 510) + `],"must_not":[` + repeat(unmapped("#"), ",", 510) + `]}}}}`},
		{"explanations in buckets", `{"size":0,"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":4000},"aggs":{"h":{"top_hits":{"explain":true}}}}},"query":{"match":{"Data.a":"` + words + `"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := body.Parse([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			b := scorer.NewWorkLimit(t.Context())
			began := time.Now()
			_, err = EvalWithin(b, r, body)
			if e := (*query.Error)(nil); !errors.As(err, &e) || e.Code != "too_costly" {
				t.Errorf("got %v after %d steps, want too_costly", err, b.Work())
			}
			t.Logf("%d steps, %v", b.Work(), time.Since(began))
		})
	}
}

// The dates of an auto_date_histogram are sorted only where their number in intervals decides.
func TestDatesOfDecadesAreNotSorted(t *testing.T) {
	items := make([]string, 4000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"c%d","CreatedAt":"%d-0%d-1%dT0%d:00:00Z"}`, i, 1980+i%40, 1+i%9, i%7, i%8)
	}
	r := snaptest.Open(t, snaptest.Env{Items: items})
	work := func(aggs string) int { return workOf(t, r, `{"size":0,"aggs":{"a":`+aggs+`}}`) }
	counted, chosen := work(`{"terms":{"field":"CreatedAt"}}`), work(`{"auto_date_histogram":{"field":"CreatedAt","buckets":10}}`)
	if chosen > 4*counted {
		t.Errorf("%d steps, where counting the dates takes %d", chosen, counted)
	}
}
