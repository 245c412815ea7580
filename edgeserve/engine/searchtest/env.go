// Package searchtest holds what searches are tested against: a naive twin that looks at every item, random items and
// bodies, and what Lucene answers. Test compares all of these over snapshots that its caller makes of items. It is for
// tests only.
package searchtest

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
)

// Open makes a snapshot of items, which come in the order of documents.
type Open func(tb testing.TB, items []string) *snapshot.Reader

// env is an environment twice: as a snapshot and as a twin, with the same documents.
type env struct {
	open  Open
	items []string // in any order
	twin  *twin
	r     *snapshot.Reader
}

// newEnv opens compact items, given in any order.
func newEnv(tb testing.TB, open Open, items []string) *env {
	tb.Helper()
	ordered := documentOrder(tb, items)
	r := open(tb, ordered)
	return &env{open, items, newTwin(ordered, r.Env()), r}
}

// documentOrder puts items into the order of documents: the newest first.
func documentOrder(tb testing.TB, items []string) []string {
	tb.Helper()
	type key struct{ CreatedAt, ContentID string }
	keys := map[string]key{}
	for _, text := range items {
		var k key
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			tb.Fatal(err)
		}
		keys[text] = k
	}
	ordered := slices.Clone(items)
	slices.SortFunc(ordered, func(a, b string) int {
		x, y := keys[a], keys[b]
		return cmp.Or(strings.Compare(y.CreatedAt, x.CreatedAt), strings.Compare(x.ContentID, y.ContentID))
	})
	return ordered
}

// whole is the largest page.
const whole = query.MaxWindow

// eval answers a body from the snapshot, as a page of its own or of all matches.
func (e *env) eval(b *query.Body, from, size int) (*search.Result, error) {
	page := *b
	page.Window.From, page.Window.Size = from, size
	return search.Eval(context.Background(), e.r, &page)
}

// Snaptest is an Open by package snaptest with the analysis of searches and the types of an
// item's own fields. Every other environment has grams.
func Snaptest(tb testing.TB, items []string) *snapshot.Reader {
	tb.Helper()
	return Named(tb, "", items)
}

// Named is Snaptest with a name of the environment.
func Named(tb testing.TB, env string, items []string) *snapshot.Reader {
	tb.Helper()
	return Leaving(tb, env, items, leftout.Rules{})
}

// Leaving is Named, but leaves paths out of the index.
func Leaving(tb testing.TB, env string, items []string, out leftout.Rules) *snapshot.Reader {
	tb.Helper()
	types := map[string]snapshot.Type{}
	for _, name := range address.ScalarFields() {
		types[name] = snapshot.Text
		if strings.HasSuffix(name, "At") {
			types[name] = snapshot.Date
		}
	}
	return snaptest.Open(tb, snaptest.Env{Name: env, Items: items, LeftOut: out, Types: types, Grams: len(items)%2 == 1, Analysis: snaptest.Analysis{
		Version: analysis.Version, Words: analysis.Terms, Length: analysis.EncodeLength, Factors: analysis.LengthFactors,
		Date: analysis.ReadDate, IsDate: analysis.IsDate, Fold: pattern.FoldRune,
		ListDate: func(path, text string) (int64, bool) {
			ms, ok := analysis.ListDate(text)
			return ms, ok && analysis.IsDataPath(path)
		},
	}})
}

// suite is a named test.
type suite struct {
	name string
	test func(*testing.T, Open)
}

// builds are the tests that a fault of what builds snapshots would fail.
var builds = []suite{
	{"Golden", testGolden},
	{"Types", testTypes},
	{"Found", testFound},
	{"Lists", testOracleLists},
	{"TextFormIsKeyword", testTextFormIsKeyword},
	{"Aggregations", testAggregations},
	{"AggregationsAgainstTwin", testAggregationsAgainstTwin},
	{"Suggestions", testSuggestions},
	{"Phrases", testPhrases},
	{"SuggestionsAgainstTwin", testSuggestionsAgainstTwin},
}

// Test runs all tests over snapshots of an Open.
func Test(t *testing.T, open Open) {
	run(t, open, builds)
	run(t, open, []suite{
		{"Oracle", testOracle},
		{"Params", testOracleParams},
		{"Explanations", testExplanations},
		{"HitsInside", testHitsInside},
		{"DataWordsBesideManyNumbers", testDataWordsBesideManyNumbers},
		{"Metamorphic", testMetamorphic},
		{"UnrelatedItem", testUnrelatedItem},
		{"AggregationsOfElasticsearch", testAggregationsOfElasticsearch},
		{"AggregationsOfNoMatch", testAggregationsOfNoMatch},
		{"AggregationsOfEndedSearches", testAggregationsOfEndedSearches},
		{"AggregationErrors", testAggregationErrors},
		{"AggregationsStopInTime", testAggregationsStopInTime},
	})
}

// TestBuilt tests a builder of snapshots. It asks fewer questions than Test, which has tested
// the searches.
func TestBuilt(t *testing.T, open Open) {
	run(t, open, builds)
	bodies := 10
	if testing.Short() { // the race detector makes each ten times as slow
		bodies = 2
	}
	t.Run("Oracle", func(t *testing.T) { askEnvironments(t, open, bodies) })
}

func run(t *testing.T, open Open, suites []suite) {
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) { s.test(t, open) })
	}
}

// Items are n random items, in any order.
func Items(r *rand.Rand, n int) []string { return newWriter(r).items(n) }

// Bodies makes random bodies, with an aggregation each, that find something in an
// environment of items.
func Bodies(tb testing.TB, r *rand.Rand, items []string) func() []byte {
	a := newAsker(r, newTwin(documentOrder(tb, items), ""))
	return func() []byte {
		body := a.body()
		if body["aggs"] = a.aggs(); a.oneIn(2) {
			body["aggs"] = object{"a": a.buckets(1)}
		}
		if a.oneIn(3) {
			body["highlight"] = a.highlight()
		}
		if a.oneIn(8) {
			body["suggest"] = object{"s": a.suggestion()}
		}
		a.members(body)
		raw, err := json.Marshal(body)
		if err != nil {
			tb.Fatal(err)
		}
		return raw
	}
}
