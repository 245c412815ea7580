// This file tests searches in URL parameters, with and without a body.

package body

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func TestURI(t *testing.T) {
	for _, c := range []struct {
		name, body string
		uri        URI
		want       string
	}{
		{"nothing", `{"size":3}`, URI{}, `{"size":3}`},
		{"q", ``, URI{Q: "a  AND b"}, `{"query":{"query_string":{"query":"a AND b"}}}`},
		{"its options", ``, URI{Q: "a", DefaultField: "Name", DefaultOperator: "And", AnalyzeWildcard: "true", Lenient: "true"},
			`{"query":{"query_string":{"query":"a","default_field":"Name","default_operator":"and","lenient":true,"analyze_wildcard":true}}}`},
		{"the body's query wins", `{"query":{"match_all":{}}}`, URI{Q: "a"}, `{"query":{"match_all":{}}}`},
		{"options without q", ``, URI{DefaultField: "Name", Lenient: "x"}, `{}`},
		{"window", ``, URI{From: "5", Size: "0"}, `{"from":5,"size":0}`},
		{"the body's from wins", `{"from":7}`, URI{From: "5", Size: "3"}, `{"from":7,"size":3}`},
		{"the body's size wins", `{"size":7}`, URI{From: "5", Size: "3"}, `{"from":5,"size":7}`},
		{"as good as none", ``, URI{From: "-1", Size: "-1"}, `{}`},
		{"_source off", ``, URI{Source: "false", SourceIncludes: "a"}, `{"_source":false}`},
		{"_source on", ``, URI{Source: "true"}, `{}`},
		{"_source patterns", ``, URI{Source: "b, a.*,,b"}, `{"_source":{"includes":["a.*","b"]}}`},
		{"includes win over patterns", ``, URI{Source: "a", SourceIncludes: "b", SourceExcludes: "c,d"}, `{"_source":{"includes":["b"],"excludes":["c","d"]}}`},
		{"on, but for some", ``, URI{Source: "true", SourceExcludes: "c"}, `{"_source":{"excludes":["c"]}}`},
		{"the body's _source wins", `{"_source":["x"]}`, URI{Source: "a", SourceExcludes: "c"}, `{"_source":{"includes":["x"]}}`},
		{"also if it is true", `{"_source":true}`, URI{Source: "false"}, `{}`},
		{"body and parameters", `{"sort":"Name"}`, URI{Q: "a", Size: "3", Source: "b"},
			`{"size":3,"query":{"query_string":{"query":"a"}},"sort":[{"Name":"asc"}],"_source":{"includes":["b"]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := Parse([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.uri.Complete(b); err != nil || printBody(b) != c.want {
				t.Errorf("got %s, %v\nwant %s", printBody(b), err, c.want)
			}
		})
	}
}

func TestURIErrors(t *testing.T) {
	for _, c := range []struct {
		name, body      string
		uri             URI
		code, parameter string
	}{
		{"from", ``, URI{From: "x"}, problem.BadFrom, "from"},
		{"negative size", ``, URI{From: "1", Size: "-2"}, problem.BadSize, "size"},
		{"size", ``, URI{Size: window(1)}, problem.BadSize, "size"},
		{"a bad one beside a good one of the body", `{"from":1}`, URI{From: "x"}, problem.BadFrom, "from"},
		{"window", ``, URI{From: window(-1), Size: "2"}, problem.BadFrom, "from"},
		{"window with the body", `{"from":` + window(-10) + `}`, URI{Size: "11"}, problem.BadFrom, "from"},
		{"operator", ``, URI{Q: "a", DefaultOperator: "xor"}, problem.BadQuery, "default_operator"},
		{"analyze_wildcard", ``, URI{Q: "a", AnalyzeWildcard: "yes"}, problem.BadQuery, "analyze_wildcard"},
		{"lenient", ``, URI{Q: "a", Lenient: "yes"}, problem.BadQuery, "lenient"},
		{"patterns", ``, URI{SourceIncludes: strings.Repeat("a,", maxSourcePatterns+1)}, problem.TooManyClauses, "_source_includes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := Parse([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			e, ok := errors.AsType[*query.Error](c.uri.Complete(b))
			if !ok || e.Code != c.code || e.Parameter != c.parameter || e.Position != -1 || !strings.Contains(e.Message, c.parameter) && c.code != problem.BadFrom {
				t.Errorf("got %#v", e)
			}
		})
	}
}

// TestURICompletesTheWindow checks that a window that only the default size makes too large
// is completed before the check.
func TestURICompletesTheWindow(t *testing.T) {
	body := []byte(`{"from":` + window(-5) + `}`)
	b, err := ParsePart(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := (URI{Size: "5"}).Complete(b); err != nil || b.Window.From != query.MaxWindow-5 || b.Window.Size != 5 {
		t.Errorf("%v, from %d, size %d", err, b.Window.From, b.Window.Size)
	}
	if b, _ = ParsePart(body); (URI{}).Complete(b) == nil {
		t.Error("ten hits five before the end are too deep")
	}
}

// TestURIQuerySyntax checks that a syntax error in q is reported when the clause is
// evaluated, as in a body.
func TestURIQuerySyntax(t *testing.T) {
	b := &query.Body{}
	if err := (URI{Q: "a AND ("}).Complete(b); err != nil {
		t.Fatal(err)
	}
	e := b.Query.(*query.QueryString).Err
	if e == nil || e.Code != problem.BadQueryString || e.Parameter != "q" || e.Position < 0 {
		t.Errorf("got %#v", e)
	}
}

func TestParseSort(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"Name":                   "",
		"Data.a:b":               "",
		"Name:down":              "",
		"_score":                 "",
		"Name:asc":               `[{"Name":"asc"}]`,
		"Name:DESC":              `[{"Name":"desc"}]`,
		"Data.a:b:desc":          `[{"Data.a:b":"desc"}]`,
		"Name:asc,Data.x:desc":   `[{"Name":"asc"},{"Data.x":"desc"}]`,
		"Name, _score , _doc,":   `[{"Name":"asc"},{"_score":"desc"},{"_doc":"asc"}]`,
		"_score:asc,Name":        `[{"_score":"asc"},{"Name":"asc"}]`,
		",":                      `[]`,
		strings.Repeat("a,", 32): fmt.Sprintf("[%s]", strings.TrimSuffix(strings.Repeat(`{"a":"asc"},`, 32), ",")),
	} {
		keys, listed, err := ParseSort(text)
		got := ""
		if listed {
			got = join(keys, printSortKey)
		}
		if err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{":asc", "Name,:desc", "Name:up,CreatedAt", strings.Repeat("a,", 33)} {
		_, listed, err := ParseSort(text)
		if e, ok := errors.AsType[*query.Error](err); !ok || !listed || e.Code != problem.BadSort || e.Parameter != "Sort" {
			t.Errorf("%q: %t, %v", text, listed, err)
		}
	}
}
