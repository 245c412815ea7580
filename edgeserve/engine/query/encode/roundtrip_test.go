// This file writes bodies and parses them again.

package encode

import (
	"bufio"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// A body that is written parses to an equal tree.
func TestRoundTrip(t *testing.T) {
	for _, raw := range corpus(t) {
		if b, err := body.Parse(raw); err == nil {
			roundTrip(t, raw, b)
		}
	}
}

// roundTrip writes a body that raw parses to, and compares what it parses to again. It returns the tree that has
// ordinals. With the names of the body, a pipeline may come before one that it reads, which the parser refuses.
func roundTrip(t *testing.T, raw []byte, b *query.Body) *query.Body {
	t.Helper()
	text := writtenAs(t, raw, b)
	if again, err := body.Parse(text); err == nil {
		equal(t, raw, text, b, again)
	} else if !slices.ContainsFunc(b.Aggs, hasPipelines) {
		t.Fatalf("%s\n is written as %s\n which is refused: %v", raw, text, err)
	}
	want := *b
	want.Aggs = Ordinals(b.Aggs)
	text = writtenAs(t, raw, &want)
	again, err := body.Parse(text)
	if err != nil {
		t.Fatalf("%s\n is written as %s\n which is refused: %v", raw, text, err)
	}
	equal(t, raw, text, &want, again)
	return again
}

func hasPipelines(a query.Agg) bool {
	return slices.ContainsFunc(a.Subs, func(sub query.Agg) bool { return sub.IsPipeline() || hasPipelines(sub) })
}

func writtenAs(t *testing.T, raw []byte, b *query.Body) []byte {
	t.Helper()
	members, err := Body(b, nil)
	if err != nil {
		t.Fatalf("%s\n cannot be written: %v", raw, err)
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return text
}

func equal(t *testing.T, raw, text []byte, b, again *query.Body) {
	t.Helper()
	if d := difference(b, again); d != "" {
		t.Fatalf("%s\n is written as %s\n which differs at %s", raw, text, d)
	}
}

// A snapshot answers a body that is written, and with ordinals, as it answers the body.
func TestEvaluate(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	items := searchtest.Items(r, 60)
	reader := searchtest.Snaptest(t, items)
	next := searchtest.Bodies(t, r, items)
	answered := 0
	for range evaluatedBodies {
		raw := next()
		b, err := body.Parse(raw)
		if err != nil {
			continue
		}
		want, timed, err := evaluated(t, reader, b)
		if err != nil || timed {
			continue
		}
		again := roundTrip(t, raw, b)
		keepNames(again.Aggs, b.Aggs)
		got, _, err := evaluated(t, reader, again)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n answers %v\n but as it is written %v, %v", raw, want, got, err)
		}
		answered++
	}
	if answered < evaluatedBodies/2 {
		t.Errorf("only %d of %d bodies had an answer", answered, evaluatedBodies)
	}
}

// evaluatedBodies is the number of random bodies that a snapshot answers.
const evaluatedBodies = 400

// keepNames makes the results of a list have the names of another one.
func keepNames(list, named []query.Agg) {
	for i := range list {
		list[i].Typed = named[i].Name
		keepNames(list[i].Subs, named[i].Subs)
	}
}

// evaluated returns the hits, aggregations and suggestions of a body. timed reports whether they depend on the clock.
func evaluated(t *testing.T, r *snapshot.Reader, b *query.Body) (answer []any, timed bool, err error) {
	work := scorer.NewWorkLimit(t.Context())
	found, err := search.EvalHits(work, r, b)
	if err != nil {
		return nil, false, err
	}
	page, err := hits.NewWriter("", b).AppendAll(nil, &found.Page, work)
	if err != nil {
		return nil, false, err
	}
	for _, part := range [][]byte{page, found.Aggregations, found.Suggestions} {
		answer = append(answer, decoded(string(part)))
	}
	return append(answer, found.Total, found.Ended), found.Timed, nil
}

// corpus returns the bodies that tests of searches have, random ones, and those of testdata. Some are refused.
func corpus(t testing.TB) (list [][]byte) {
	files, err := filepath.Glob("../../../../scripts/elasticsearch.d/bodies/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		list = append(list, lines(t, name)...)
	}
	for _, name := range []string{"../../search/testdata/origin-site.jsonl", "../../searchtest/testdata/tiny-cases.jsonl"} {
		for _, line := range lines(t, name) {
			var golden struct{ Body json.RawMessage }
			if err := json.Unmarshal(line, &golden); err != nil {
				t.Fatal(name, err)
			}
			list = append(list, golden.Body)
		}
	}
	for _, text := range slices.Concat(slices.Collect(maps.Values(members)), rareOptions) {
		list = append(list, []byte(text))
	}
	r := rand.New(rand.NewPCG(3, 7))
	next := searchtest.Bodies(t, r, searchtest.Items(r, 40))
	for range randomBodies {
		list = append(list, next())
	}
	return list
}

// randomBodies is the number of random bodies in corpus.
const randomBodies = 600

func lines(t testing.TB, name string) (list [][]byte) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		list = append(list, append([]byte(nil), in.Bytes()...))
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return list
}
