package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

func within(ctx context.Context) *scorer.WorkLimit { return scorer.NewWorkLimit(ctx) }

func bodyOf(t *testing.T, text string) *query.Body {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestItem reads items from the index.
func TestItem(t *testing.T) {
	m, twin, _ := play(t)
	hits := func(list string) string {
		return `{"timed_out":false,"_shards":{"total":3,"successful":3},"hits":{"total":{"value":1,"relation":"eq"},"hits":[` + list + `]}}`
	}
	none := strings.Replace(hits(""), `"value":1`, `"value":0`, 1)
	for name, tt := range map[string]struct {
		response string
		err      error
		want     string
		fails    bool
	}{
		"an item":                 {response: hits(`{"_index":"site-1","_id":"A","_source":{"ContentID":"A","_sub":{"rank·":7}}}`), want: `{"ContentID":"A"}`},
		"no item":                 {response: none},
		"an item without its hit": {response: hits(""), fails: true},
		"no index":                {err: &cluster.StatusError{Status: 404, Type: "index_not_found_exception"}, fails: true},
		"a document without rank": {response: hits(`{"_index":"site-1","_id":"A","_source":{"ContentID":"A"}}`), fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{response: tt.response, err: tt.err}
			got, found, err := cluster.New(m.Environments[0], twin, "site-1", 3, p).Item("A/b")
			if string(got) != tt.want || found != (tt.want != "") || (err != nil) != tt.fails {
				t.Errorf("%s %v %v", got, found, err)
			}
			if len(p.asked) != 1 || !strings.Contains(string(p.asked[0].Body), `"A/b"`) {
				t.Errorf("asked %+v", p.asked)
			}
		})
	}
}

// TestExplain explains scores as the cluster does, in the words of a snapshot.
func TestExplain(t *testing.T) {
	m, twin, _ := play(t)
	response := `{"_index":"site-1","_id":"A","matched":true,"explanation":{"value":1,"description":"ConstantScore(FieldExistsQuery [field=Data.price])","details":[{"value":2.0E-3,"description":"_sub.Data.price.keyword·:x"}]}}`
	for name, tt := range map[string]struct {
		response, want string
	}{
		"an explanation":        {response, `{"value":1,"description":"ConstantScore(DocValuesFieldExistsQuery [field=Data.price])","details":[{"value":0.002,"description":"Data.price.keyword:x","details":[]}]}`},
		"an object of Java":     {strings.Replace(response, ":x\"", `:{\norg.apache.lucene.util.automaton.Automaton@58b0206e}"`, 1), `{"value":1,"description":"ConstantScore(DocValuesFieldExistsQuery [field=Data.price])","details":[{"value":0.002,"description":"Data.price.keyword:{\norg.apache.lucene.util.automaton.Automaton}","details":[]}]}`},
		"none":                  {`{"_index":"site-1","_id":"A","matched":true}`, ""},
		"nothing about matches": {strings.Replace(response, `"matched":true,`, "", 1), ""},
		"one that never ends":   {`{"matched":true,"explanation":` + strings.Repeat(`{"description":"","value":1,"details":[`, 2000) + strings.Repeat(`]}`, 2000) + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{response: tt.response}
			x := cluster.New(m.Environments[0], twin, "site-1", 1, p)
			got, err := x.Explain(within(t.Context()), bodyOf(t, `{"query":{"exists":{"field":"Name"}},"size":3,"sort":["Name"]}`), "A/b")
			if (err == nil) != (tt.want != "") || string(got.JSON) != tt.want || got.Matches != (err == nil) {
				t.Errorf("%s %v %v", got.JSON, got.Matches, err)
			}
			if len(p.asked) != 1 || p.asked[0].Path != "/site-1/_explain/A%2Fb" || string(p.asked[0].Body) != `{"query":{"exists":{"field":"Name"}}}` {
				t.Errorf("asked %+v", p.asked)
			}
		})
	}
}

// TestQueryText prints queries that fields alone decide, and asks no node.
func TestQueryText(t *testing.T) {
	m, twin, _ := play(t)
	x := cluster.New(m.Environments[0], twin, "site-1", 1, &player{err: cluster.ErrUnavailable})
	for text, want := range map[string]struct {
		text string
		can  bool
	}{
		`{"query":{"match":{"Name":"the harbour"}}}`:                                    {"Name:the Name:harbour", true},
		`{"query":{"term":{"Data.nowhere":"x"}}}`:                                       {`MatchNoDocsQuery("User requested "match_none" query.")`, false},
		`{"query":{"range":{"CreatedAt":{"lt":"2020"}}}}`:                               {"", true},
		`{"query":{"terms":{"Name.keyword":{"index":"site","id":"A","path":"Name"}}}}`:  {"", true},
		`{"query":{"bool":{"filter":{"range":{"CreatedAt":{"lt":"2020"}}},"must":[]}}}`: {"", true},
		`{"query":{"range":{"Data.stock":{"gte":1}}}}`:                                  {"Data.stock:[1 TO 9223372036854775807]", true},
	} {
		b := bodyOf(t, text)
		got, err := x.QueryText(within(t.Context()), b)
		if got != want.text || (err == nil) != (want.text != "") {
			t.Errorf("%s: %q %v", text, got, err)
		}
		if can, _, err := x.CanMatch(within(t.Context()), b); can != want.can || err != nil {
			t.Errorf("%s can match: %v %v", text, can, err)
		}
	}
}

// TestSuggestsOnly asks for all items if a body has aggregations next to suggestions, even empty ones.
func TestSuggestsOnly(t *testing.T) {
	m, twin, _ := play(t)
	const suggest = `"suggest":{"s":{"text":"harbour","term":{"field":"Name"}}}`
	for text, searches := range map[string]bool{
		suggest:                               false,
		suggest + `,"aggs":{}`:                true,
		suggest + `,"aggregations":{}`:        true,
		suggest + `,"query":{"match_all":{}}`: true,
		suggest + `,"aggs":{"n":{"value_count":{"field":"Name.keyword"}}}`: true,
	} {
		p := &player{err: cluster.ErrUnavailable}
		_, err := cluster.New(m.Environments[0], twin, "site-1", 1, p).Search(within(t.Context()), bodyOf(t, "{"+text+"}"), true)
		var asked struct{ Query json.RawMessage }
		if len(p.asked) != 1 || json.Unmarshal(p.asked[0].Body, &asked) != nil || (asked.Query != nil) != searches {
			t.Errorf("%s: %s %v", text, asked.Query, err)
		}
	}
}

// TestSearchAfter pages behind booleans and behind items without one, whose sort values are those of a snapshot.
func TestSearchAfter(t *testing.T) {
	m, twin, _ := play(t)
	for text, want := range map[string]string{
		`"sort":["Data.inStock"],"search_after":[true]`:                                                           `[1]`,
		`"sort":["Data.inStock"],"search_after":["false"]`:                                                        `[0]`,
		`"sort":["Data.inStock"],"search_after":[9223372036854775807]`:                                            `[2147483647]`,
		`"sort":[{"Data.inStock":"desc"},"Data.stock"],"search_after":[-9223372036854775808,9223372036854775807]`: `[-2147483648,9223372036854775807]`,
		`"sort":[{"Data.inStock":{"numeric_type":"long"}}],"search_after":[9223372036854775807]`:                  `[9223372036854775807]`,
		`"sort":["Name","Data.inStock"],"search_after":["true",1]`:                                                `["true",1]`,
	} {
		p := &player{err: cluster.ErrUnavailable}
		x := cluster.New(m.Environments[0], twin, "site-1", 1, p)
		_, err := x.Search(within(t.Context()), bodyOf(t, "{"+text+"}"), true)
		var asked struct {
			After json.RawMessage `json:"search_after"`
		}
		if len(p.asked) != 1 || json.Unmarshal(p.asked[0].Body, &asked) != nil || string(asked.After) != want {
			t.Errorf("%s: %s %v", text, asked.After, err)
		}
	}
}

// TestTermsLeft tells whether terms by count and numbers of values may be wrong, which the response alone knows, and that hits cannot be
// collapsed by a field of several values.
func TestTermsLeft(t *testing.T) {
	m, twin, _ := play(t)
	search := func(shards, bound string) (*hits.Result, error) {
		n := map[string]int{"1": 1, "3": 3}[shards]
		p := &player{response: `{"timed_out":false,"_shards":{"total":` + shards + `,"successful":` + shards + `},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[]},` +
			`"aggregations":{"agg000":{"doc_count_error_upper_bound":` + bound + `,"sum_other_doc_count":0,"buckets":[]}}}`}
		return cluster.New(m.Environments[0], twin, "site-1", n, p).Search(within(t.Context()), bodyOf(t, `{"size":0,"aggs":{"a":{"terms":{"field":"Name.keyword"}}}}`), true)
	}
	for _, tt := range []struct{ shards, bound, want string }{{"3", "0", ""}, {"3", "5", translate.TermsLeft}, {"1", "5", ""}} {
		found, err := search(tt.shards, tt.bound)
		if err != nil || strings.Join(found.Approximate, ";") != tt.want {
			t.Errorf("%+v: %+v %v", tt, found, err)
		}
	}
	for n, want := range map[string]string{"250": "", "251": translate.DistinctValues} {
		p := &player{response: `{"timed_out":false,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[]},"aggregations":{"agg000":{"value":` + n + `},"agg001":{"value":` + n + `}}}`}
		found, err := cluster.New(m.Environments[0], twin, "site-1", 1, p).Search(within(t.Context()), bodyOf(t, `{"size":0,"aggs":{"a":{"cardinality":{"field":"Name.keyword"}},"b":{"cardinality":{"field":"Name.keyword"}}}}`), true)
		if err != nil || strings.Join(found.Approximate, ";") != want {
			t.Errorf("%s values: %+v %v", n, found, err)
		}
	}
	for items, want := range map[int]string{10000: "", 10001: "percentiles and deviations from the median"} {
		env := m.Environments[0]
		env.Items = items
		p := &player{response: `{"timed_out":false,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[]},"aggregations":{"agg000":{"values":{"50.0":1.0}}}}`}
		found, err := cluster.New(env, twin, "site-1", 1, p).Search(within(t.Context()), bodyOf(t, `{"size":0,"aggs":{"a":{"percentiles":{"field":"Data.price","percents":[50]}}}}`), true)
		if err != nil || strings.Join(found.Approximate, ";") != want {
			t.Errorf("percentiles of %d items: %+v %v", items, found, err)
		}
	}
	p := &player{err: &cluster.StatusError{Status: 500, Type: "illegal_state_exception", Reason: "failed to collapse 20, the collapse field must be single valued"}}
	_, err := cluster.New(m.Environments[0], twin, "site-1", 3, p).Search(within(t.Context()), bodyOf(t, `{"collapse":{"field":"Name.keyword"}}`), true)
	if refused, ok := errors.AsType[*query.Error](err); !ok || refused.Code != problem.BadCollapse || !strings.Contains(refused.Message, "Name.keyword") {
		t.Error(err)
	}
}

// TestLongTexts: the response tells that long texts are cut, unless no sort value of the page is.
func TestLongTexts(t *testing.T) {
	m, twin, _ := play(t)
	whole, cut := strings.Repeat("x", layout.MaxStart-1), strings.Repeat("x", layout.MaxStart)
	exact := &query.Body{Order: query.Order{Keys: []query.SortKey{{Field: "Name", Asc: true, Exact: true}}}}
	exact.Window.Size = 10
	for name, tt := range map[string]struct {
		body       *query.Body
		value      string
		long, told bool
	}{
		"whole":             {bodyOf(t, `{"_source":false,"sort":["Name"]}`), whole, true, false},
		"cut":               {bodyOf(t, `{"_source":false,"sort":["Name.keyword"]}`), cut, true, true},
		"a list with ties":  {exact, cut, true, true},
		"a list without":    {exact, cut, true, false},
		"a path without":    {bodyOf(t, `{"_source":false,"sort":["Name"]}`), cut, false, false},
		"a keyword of such": {bodyOf(t, `{"_source":false,"sort":["Name"],"query":{"prefix":{"Name.keyword":"a"}}}`), whole, true, true},
	} {
		p := &player{response: `{"timed_out":false,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[{"_index":"site-1","_id":"A","_score":null,"_source":{"ContentID":"A","_sub":{"rank·":7}},"sort":["` + tt.value + `"]}]}}`}
		var long, ties []string
		if tt.told {
			ties = []string{"Name"}
		}
		if tt.long {
			long = []string{"Name"}
		}
		found, err := cluster.New(m.Environments[0], twin, "site-1", 1, p, long...).Tying(ties).Search(within(t.Context()), tt.body, true)
		if err != nil || slices.Contains(found.Approximate, translate.LongTexts) != tt.told || strings.Contains(string(p.asked[0].Body), "_sub.Name.start·") != tt.long {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	p := &player{response: `{"timed_out":false,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}`}
	found, err := cluster.New(m.Environments[0], twin, "site-1", 1, p, "Name").Search(within(t.Context()), bodyOf(t, `{"sort":["Name"],"search_after":["`+cut+`yz"]}`), true)
	if err != nil || !slices.Contains(found.Approximate, translate.LongTexts) || !strings.Contains(string(p.asked[0].Body), `"search_after":["`+cut+`"]`) {
		t.Errorf("after a long text: %+v %v", found, err)
	}
}

// TestManyItems: one shard tells that percentiles of many items are estimated.
func TestManyItems(t *testing.T) {
	m, twin, _ := play(t)
	for items, told := range map[int]bool{10_000: false, 10_001: true} {
		env := m.Environments[0]
		env.Items = items
		x := cluster.New(env, twin, "site-1", 1, nil)
		if why := x.Approximate(bodyOf(t, `{"aggs":{"a":{"percentiles":{"field":"Data.price"}}}}`)); (why != nil) != told {
			t.Errorf("%d items: %v", items, why)
		}
	}
}
