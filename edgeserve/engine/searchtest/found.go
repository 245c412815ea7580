// This file keeps what random questions have found, small enough to read.

package searchtest

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/search"
)

var found = []struct{ name, data, body string }{
	{"a date written with escapes", `{"d":"2021\u002d04-23"}`, `{"query":{"range":{"Data.d":{"gte":"2021","lt":"2022"}}}}`},
	{"the least long", `{"n":-9223372036854775808}`, `{"query":{"term":{"Data.n":-9223372036854775808}}}`},
	{"the last date there is", `{"d":"2021-04-23"}`, `{"query":{"query_string":{"query":"Data.d:[2 TO 9223372036854775807]"}}}`},
	{"an optional word asked of required ones", `{"t":"red fox"}`, `{"query":{"simple_query_string":{"query":"red + fox","minimum_should_match":1}}}`},
	{"the same in a match", `{"t":"red fox"}`, `{"query":{"match":{"Data.t":{"query":"red fox","operator":"and","minimum_should_match":1}}}}`},
	{"a comparison with an equals sign", `{"t":"<>"}`, `{"query":{"query_string":{"query":"Data.t.keyword:>="}}}`},
	{"edits by length next to a fixed number", `{"t":"fox"}`, `{"query":{"query_string":{"query":"fxx~AUTO","fuzziness":0}}}`},
	{"edits that are not a number, after _exists_", `{"t":"fox"}`, `{"query":{"query_string":{"query":"_exists_:Name~abc"}}}`},
	{"a boosted field whose words vanish", `{"t":"fox"}`, `{"query":{"bool":{"should":[{"multi_match":{"query":"!","fields":["Data.t^3"],"zero_terms_query":"all"}},{"ids":{"values":["B"],"boost":2}}],"must":[{"exists":{"field":"Name"}}]}}}`},
	{"a prefix that could stand for the word before it", `{"t":"fox"}`, `{"query":{"match_phrase_prefix":{"Data.t":{"query":"fox fo","slop":2}}}}`},
	{"that prefix on a word of its own", `{"t":"foxy fox"}`, `{"query":{"match_phrase_prefix":{"Data.t":{"query":"fox fo","slop":2}}}}`},
	{"a phrase in two fields, of which the best counts", `{"t":"red fox","u":"red fox"}`, `{"query":{"bool":{"should":[{"simple_query_string":{"query":"\"red fox\"","fields":["Data.t","Data.u"]}},{"ids":{"values":["B"],"boost":1}}]}}}`},
	{"a negative number of edits", `{"t":"fox"}`, `{"query":{"query_string":{"query":"fox~-1","default_field":"Name"}}}`},
}

func testFound(t *testing.T, open Open) {
	for _, f := range found {
		t.Run(f.name, func(t *testing.T) {
			e := newEnv(t, open, []string{
				`{"ContentID":"A","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"a","Data":` + f.data + `}`,
				`{"ContentID":"B","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"b"}`,
			})
			if diff := e.differ([]byte(f.body), &tally{}); diff != "" {
				t.Errorf("%s\n%s", f.body, diff)
			}
		})
	}
}

// Words that no number, date or boolean can have cost nothing on paths of these types, however many values they have.
func testDataWordsBesideManyNumbers(t *testing.T, open Open) {
	var items []string
	for i := range 3000 {
		data := fmt.Sprintf(`"text":"fresh bread and butter %d"`, i)
		for p := range 40 {
			data += fmt.Sprintf(`,"n%d":%d`, p, i*41+p)
		}
		items = append(items, fmt.Sprintf(`{"ContentID":"C_%d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":{%s}}`, i, data))
	}
	e := newEnv(t, open, items)
	for _, words := range []string{strings.Repeat("fresh bread and butter ", 20), "fresh 2999"} {
		b, err := search.WithParams(&query.Body{Window: query.Window{Size: 1}}, search.Params{Data: words})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.eval(b, 0, 1); err != nil || got.Total == 0 {
			t.Errorf("%q: %v %v", words, got, err)
		}
	}
}
