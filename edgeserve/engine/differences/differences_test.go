package differences_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/differences"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

func content(t testing.TB) *snapshot.Reader {
	t.Helper()
	return searchtest.Snaptest(t, []string{
		`{"ContentID":"1","Name":"a","CreatedAt":"2024-01-01T00:00:00Z","Data":{"t":"short","d":"2021-06-01","n":[1,2],"one":1,"days":["2020-01-01","2020-01-02"]}}`,
		fmt.Sprintf(`{"ContentID":"2","Name":"b","CreatedAt":"2024-01-02T00:00:00Z","Data":{"t":"word","long":%q,"d":"2021-07-01","n":3,"one":2,"days":"2020-02-01"}}`, strings.Repeat("é", 257)),
	})
}

// cases are bodies, and the rows that each meets, by the beginnings of their names.
var cases = []struct {
	body string
	want []string
}{
	{`{"query":{"match":{"Data.t":"short"}},"sort":["Data.one","_score"],"aggs":{"a":{"terms":{"field":"Data.t.keyword"},"aggs":{"m":{"max":{"field":"Data.one"}}}}}}`, nil},
	{`{"query":{"bool":{"filter":[{"match":{"Data.one":1}},{"range":{"Data.d":{"gte":"2021"}}},{"match_phrase":{"Data.d":"2021-06-01"}}]}}}`, nil},
	{`{"query":{"query_string":{"query":"short wo*"}}}`, nil}, // all fields are lenient
	{`{"query":{"query_string":{"query":"sho*","fields":["Data.t"]}}}`, nil},
	{`{"query":{"wildcard":{"Data.t.keyword":"sh*"}}}`, nil},
	{`{"query":{"span_multi":{"match":{"wildcard":{"Data.t":"sh*"}}}}}`, nil},
	{`{"query":{"nonsense":{}}}`, nil},
	{`not JSON`, nil},
	{`{"size":-7}`, nil},
	{`{}`, nil},
	{``, nil},
	{`null`, nil},
	{`{"query":{"bool":{"must":[{"bool":{"should":[{"wildcard":{"Data.t":"sh*"}}]}}]}}}`, []string{"`wildcard` on"}},
	{`{"aggs":{"f":{"filter":{"wildcard":{"Data.*":"2*"}}}}}`, []string{"`wildcard` on", "`wildcard`, `prefix`", "`.keyword`"}},
	{`{"post_filter":{"prefix":{"CreatedAt":"2024"}}}`, []string{"`wildcard`, `prefix`"}},
	{`{"query":{"query_string":{"query":"(Data.one:1~ OR x)"}}}`, []string{"`wildcard`, `prefix`"}},
	{`{"query":{"multi_match":{"query":"x","fields":["Data.one"],"fuzziness":1}}}`, []string{"`wildcard`, `prefix`"}},
	{`{"query":{"multi_match":{"query":"x","fields":["Data.one"],"fuzziness":1,"lenient":true}}}`, nil},
	{`{"query":{"match_phrase_prefix":{"Data.d":"2021-06"}}}`, []string{"`match_phrase_prefix`"}},
	{`{"query":{"multi_match":{"query":"2021","type":"phrase_prefix","fields":["Data.d","Data.t"]}}}`, []string{"`match_phrase_prefix`"}},
	{`{"query":{"query_string":{"query":"Data.one:1","type":"phrase_prefix"}}}`, []string{"`match_phrase_prefix`"}},
	{`{"query":{"match_phrase":{"Data.d":"06 01"}}}`, []string{"quoted"}},
	{`{"query":{"simple_query_string":{"query":"\"x\"","fields":["Data.one"]}}}`, []string{"quoted"}},
	{`{"query":{"exists":{"field":"Data.long.keyword"}}}`, []string{"`.keyword`"}},
	{`{"sort":["Data.long.keyword"]}`, []string{"`.keyword`"}},
	{`{"query":{"range":{"_id":{"gte":"a"}}}}`, []string{"patterns and ranges"}},
	{`{"query":{"query_string":{"query":"_index:de*"}}}`, []string{"patterns and ranges"}},
	{`{"sort":["Data.one",{"Data.nope":"desc"}]}`, []string{"a sort"}},
	{`{"sort":[{"Data.nope":{"unmapped_type":"long"}}]}`, nil},
	{`{"min_score":1,"sort":["CreatedAt"]}`, []string{"`min_score`"}},
	{`{"min_score":1,"sort":["CreatedAt"],"track_total_hits":true}`, nil},
	{`{"query":{"more_like_this":{"fields":["Data.t"],"like":"x"}},"highlight":{"type":"plain","fields":{"Data.t":{}}}}`, []string{"`highlight`"}},
	{`{"query":{"more_like_this":{"fields":["Data.t"],"like":"x"}},"highlight":{"fields":{"Data.t":{}}}}`, nil},
	{`{"aggs":{"g":{"terms":{"field":"Data.one"},"aggs":{"s":{"sum":{"field":"Data.n"}}}}}}`, []string{"equal numbers"}},
	{`{"aggs":{"c":{"composite":{"sources":[{"d":{"date_histogram":{"field":"Data.d","fixed_interval":"1d","format":"yyyy"}}}],"after":{"d":5}}}}}`, []string{"`after`"}},
	{`{"aggs":{"c":{"composite":{"sources":[{"n":{"histogram":{"field":"Data.n","interval":10}}}]}}}}`, []string{"values of an item"}},
	{`{"aggs":{"c":{"terms":{"field":"Data.one","min_doc_count":2,"order":{"_key":"asc"}}}}}`, []string{"`min_doc_count`"}},
	{`{"aggs":{"c":{"significant_terms":{"field":"Data.t.keyword"}}}}`, []string{"`min_doc_count`"}},
	{`{"aggs":{"c":{"terms":{"field":"Data.one","min_doc_count":2}}}}`, nil},
	{`{"aggs":{"c":{"terms":{"field":"Data.one"},"aggs":{"a":{"auto_date_histogram":{"field":"Data.d"}}}}}}`, []string{"`auto_date_histogram`"}},
	{`{"aggs":{"a":{"auto_date_histogram":{"field":"Data.days"}}}}`, []string{"dates of an item"}},
	{`{"aggs":{"a":{"auto_date_histogram":{"field":"Data.d"},"aggs":{"s":{"sampler":{}}}}}}`, []string{"dates of an item"}},
	{`{"query":{"bool":{"must_not":{"common":{"Data.t":{"query":"x"}}}}}}`, []string{"queries that"}},
	{`{"query":{"type":{"value":"_doc"}}}`, []string{"queries that"}},
	{`{"aggs":{"f":{"filter":{"match_all":{}},"aggs":{"v":{"variable_width_histogram":{"field":"Data.n"}}}}}}`, []string{"aggregations that"}},
	{`{"suggest":{"s":{"text":"a","completion":{"field":"Data.t"}}}}`, []string{"suggesters"}},
	{`{"aggs":{"g":{"terms":{"field":"Data.one"},"aggs":{"r":{"rare_terms":{"field":"Data.t.keyword"},"aggs":{"m":{"max":{"field":"Data.one"}}}}}}}}`, []string{"`rare_terms`"}},
	{`{"aggs":{"r":{"rare_terms":{"field":"Data.t.keyword"},"aggs":{"m":{"max":{"field":"Data.one"}}}}}}`, nil},
	{`{"aggs":{"g":{"terms":{"field":"Data.one"},"aggs":{"r":{"missing":{"field":"Data.nope"},"aggs":{"m":{"max":{"field":"Data.one"}}}}}}}}`, []string{"`adjacency_matrix`"}},
	{`{"query":{"multi_match":{"query":"a b","type":"cross_fields","fields":["Data.t","Name"]}}}`, []string{"scores of"}},
	{`{"aggs":{"p":{"percentiles":{"field":"Data.one"}},"c":{"cardinality":{"field":"Data.t.keyword"}}}}`, []string{"`percentiles`"}},
}

func TestMeet(t *testing.T) {
	rows := differences.Rows()
	f := differences.NewFinder(content(t))
	seen := map[int]bool{}
	for _, c := range cases {
		var got []string
		for _, i := range f.Meet([]byte(c.body)).Rows {
			seen[i] = true
			got = append(got, rows[i].What)
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s meets %q, want %q", c.body, got, c.want)
		}
	}
	for i, r := range rows {
		if r.Visible() && !seen[i] {
			t.Errorf("no body of the test meets the row %q", r.What)
		}
	}
}

func FuzzMeet(f *testing.F) {
	finder := differences.NewFinder(content(f))
	for _, c := range cases {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m := finder.Meet(raw); !slices.IsSorted(m.Rows) {
			t.Error(m.Rows)
		}
	})
}
