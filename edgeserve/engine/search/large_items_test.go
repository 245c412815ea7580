// This file tests what bodies cost over items with thousands of paths and with values of a megabyte.

package search

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// cost is what a body takes.
type cost struct {
	steps  int
	memory int64 // bytes allocated
	length int   // of the hits
	err    error
}

// costOf evaluates a body and writes its hits.
func costOf(t *testing.T, r *snapshot.Reader, text string) (c cost) {
	t.Helper()
	body, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := scorer.NewWorkLimit(t.Context())
	res, err := EvalHits(b, r, body)
	if err == nil {
		var out []byte
		out, err = hits.NewWriterWithoutSource(body).AppendAll(nil, &res.Page, b)
		c.length = len(out)
	}
	runtime.ReadMemStats(&after)
	c.steps, c.memory, c.err = b.Work(), int64(after.TotalAlloc-before.TotalAlloc), err
	return c
}

// largeCase is a body and at most what it takes. An error begins with a code, and its parameter follows.
type largeCase struct {
	name, body    string
	steps, memory int
	err           string
}

func (c *largeCase) check(t *testing.T, r *snapshot.Reader) {
	got := costOf(t, r, c.body)
	code := ""
	if e := (*query.Error)(nil); errors.As(got.err, &e) {
		code = strings.TrimSpace(e.Code + " " + e.Parameter)
	}
	if got.steps > c.steps || got.memory > int64(c.memory) || !strings.HasPrefix(code, c.err) || c.err == "" && got.err != nil {
		t.Errorf("%d steps and %d bytes, want at most %d and %d; error %q, want %q", got.steps, got.memory, c.steps, c.memory, code, c.err)
	}
	t.Logf("%d steps, %d bytes, %d of hits, %v", got.steps, got.memory, got.length, got.err)
}

// An item is read once for all paths of fields and of highlights, and names are resolved once.
func TestWideItems(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.WideItems()})
	stars := func(n int) string { return strings.Repeat("*", n+1) }
	var patterns []string
	for i := range 150 {
		patterns = append(patterns, `"`+stars(i)+`"`)
	}
	for _, c := range []largeCase{
		{"fields, no hits", `{"size":0,"fields":[` + repeat(`"*"`, ",", 100) + `]}`, 500_000, 10 << 20, ""},
		{"fields by many patterns", `{"size":0,"fields":[` + strings.Join(patterns[:100], ",") + `]}`, 20_000_000, 250 << 20, ""},
		{"fields of a hit", `{"size":1,"fields":["*"]}`, 500_000, 16 << 20, ""},
		{"fields of all hits", `{"size":12,"fields":["*"]}`, 900_000, 40 << 20, ""},
		{"one field of all hits", `{"size":12,"fields":["Data.p5000"]}`, 300_000, 4 << 20, ""},
		{"highlights", `{"size":12,"query":{"match":{"Data.p0000":"bread"}},"highlight":{"require_field_match":false,"fields":{"*":{}}}}`, 3_000_000, 40 << 20, ""},
		{"highlights by a list", `{"size":1,"query":{"match":{"Data.p0000":"bread"}},"highlight":{"fields":[` + repeat(`{"*":{}}`, ",", 20) + `]}}`, 8_000_000, 80 << 20, ""},
		{"highlights of a query of all fields", `{"size":1,"query":{"multi_match":{"query":"bread","fields":["*"],"lenient":true}},"highlight":{"fields":{"*":{}}}}`, 5_000_000, 60 << 20, ""},
		{"an explanation of all fields", `{"size":1,"explain":true,"query":{"query_string":{"query":"bread garden"}}}`, 4_000_000, 80 << 20, ""},
		{"an explanation of fields together", `{"size":1,"explain":true,"query":{"multi_match":{"query":"bread garden","type":"cross_fields","fields":["*"]}}}`, 4_000_000, 80 << 20, ""},
		{"an explanation of no hits", `{"size":0,"explain":true,"query":{"query_string":{"query":"bread garden"}}}`, 1_500_000, 20 << 20, ""},
		{"more doc values than may be", `{"size":0,"docvalue_fields":["Data.*.keyword"]}`, 200_000, 8 << 20, "bad_body docvalue_fields"},
		{"many patterns of multi_match", `{"size":0,"query":{"bool":{"should":[` + repeat(`{"multi_match":{"query":"bread","lenient":true,"fields":[`+strings.Join(patterns[:20], ",")+`]}}`, ",", 50) + `]}}}`, 30_100_000, 700 << 20, "too_costly"},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, r) })
	}
}

// A query of which only is known whether it may match, and one that is printed, take the names that they reach.
func TestNamesOfWideItems(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.WideItems()})
	const clauses = 50
	body, err := body.Parse([]byte(`{"query":{"bool":{"should":[` + repeat(`{"exists":{"field":"n#*one"}}`, ",", clauses) + `]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(*scorer.WorkLimit) error{
		"may match": func(b *scorer.WorkLimit) error { _, _, err := compile.CanMatch(b, r, body); return err },
		"printed":   func(b *scorer.WorkLimit) error { _, err := compile.QueryText(b, r, body); return err },
	} {
		b := scorer.NewWorkLimit(t.Context())
		if err := read(b); err != nil || b.Work() < clauses*len(r.Fields()) {
			t.Errorf("%s: %d steps for %d clauses on %d fields, error %v", name, b.Work(), clauses, len(r.Fields()), err)
		}
	}
}

// Values of a path that is an object in other items do not count for the paths below it.
func TestValuesAboveManyPaths(t *testing.T) {
	items := []string{
		`{"ContentID":"a","Data":{"p":[` + repeat(`"bread #"`, ",", 20_000) + `]}}`,
		`{"ContentID":"b","Data":{"p":{` + repeat(`"x#":"bread"`, ",", 1000) + `}}}`,
	}
	c := largeCase{body: `{"query":{"match":{"Data.p":"bread"}},"highlight":{"require_field_match":false,"fields":{"*":{}}}}`, steps: 5_000_000, memory: 64 << 20}
	c.check(t, snaptest.Open(t, snaptest.Env{Items: items}))
}

// Distances of long words are charged while they are computed.
func TestSimilarLongWords(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	word := strings.Repeat("xyz", 20_000)
	r := snaptest.Open(t, snaptest.Env{Items: []string{`{"ContentID":"a","Data":{"s":"` + word + `"}}`}})
	for _, distance := range []string{"levenshtein", "jaro_winkler", "ngram"} {
		c := largeCase{steps: 30_100_000, memory: 20 << 20, err: "too_costly",
			body: `{"size":0,"suggest":{"a":{"text":"` + word + `q","term":{"field":"Data.s.keyword","suggest_mode":"always","string_distance":"` + distance + `"}}}}`}
		t.Run(distance, func(t *testing.T) { c.check(t, r) })
	}
}

// Values are compared where they lie, and highlights are bounded while they are made.
func TestLongValues(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.LongItems()})
	long := "The bread of the garden is in the kitchen. A rope hangs"
	highlight := func(options string) string {
		tag := strings.Repeat("t", 250)
		return fmt.Sprintf(`{"size":8,"query":{"match":{"Data.body":"bread"}},"highlight":{"pre_tags":["%s"],"post_tags":["%[1]s"],%s,"fields":{"Data.body":{}}}}`, tag, options)
	}
	phrase := func(options string) string {
		return `{"size":0,"query":{"match_phrase":{"Data.body":{"query":"` + repeat("bread", " ", 100) + `"` + options + `}}}}`
	}
	for _, c := range []largeCase{
		{"prefixes", `{"size":0,"query":{"bool":{"should":[` + repeat(`{"prefix":{"Data.body.keyword":"`+long+`#"}}`, ",", 1000) + `]}}}`, 300_000, 4 << 20, ""},
		{"ranges", `{"size":0,"query":{"bool":{"should":[` + repeat(`{"range":{"Data.body.keyword":{"gte":"`+long+`#"}}}`, ",", 1000) + `]}}}`, 300_000, 4 << 20, ""},
		{"terms", `{"size":0,"query":{"terms":{"Data.body.keyword":[` + repeat(`"`+long+`#"`, ",", 10_000) + `]}}}`, 2_000_000, 16 << 20, ""},
		{"terms to include", `{"size":0,"aggs":{"a":{"terms":{"field":"Data.body.keyword","include":[` + repeat(`"`+long+`#"`, ",", 10_000) + `]}}}}`, 1_000_000, 16 << 20, ""},
		{"wildcards that begin anywhere", `{"size":0,"query":{"bool":{"should":[` + repeat(`{"wildcard":{"Data.body":"*`+strings.Repeat("?", 200)+`#*"}}`, ",", 20) + `]}}}`, 30_100_000, 64 << 20, "too_costly"},
		{"highlights of such wildcards", `{"size":1,"query":{"match":{"Data.body":"bread"}},"highlight":{"highlight_query":{"wildcard":{"Data.body":"*` + strings.Repeat("?", 200) + `0*"}},"fields":{"Data.body":{}}}}`, 30_100_000, 64 << 20, "too_costly"},
		{"a phrase of a word", phrase(""), 12_000_000, 8 << 20, ""},
		{"a sloppy phrase of a word", phrase(`,"slop":1000`), 40_000_000, 8 << 20, "too_costly"},
		{"highlights of whole values", highlight(`"number_of_fragments":0`), 10_000_000, 100 << 20, "too_costly highlight"},
		{"plain highlights of whole values", highlight(`"type":"plain","number_of_fragments":0`), 30_100_000, 150 << 20, "too_costly"},
		{"highlights of fragments", highlight(`"number_of_fragments":3`), 25_000_000, 100 << 20, ""},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, r) })
	}
}
