// This file builds releases of the same items twice, from content that is laid out in
// two ways, and asks both: where an item stands in the content must not be seen.

package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator"
)

// layouts are the pairs of releases, layoutBodies what each pair is asked.
const (
	layouts      = 10
	layoutBodies = 100
)

func TestTypesDoNotDependOnSourceOrder(t *testing.T) {
	n := tally{}
	for seed := range uint64(layouts) {
		r := rand.New(rand.NewPCG(seed, 7))
		items := newWriter(r).items(20 + r.IntN(130))
		one := built(t, map[string]string{"items.ndjson": strings.Join(items, "\n")})
		two := built(t, scattered(r, items))
		if !bytes.Equal(one, two) {
			t.Errorf("seed %d: another order of the source makes another snapshot", seed)
		}
		a := newAsker(r, newEnv(t, items).twin)
		readers := [2]*snapshot.Reader{opened(t, one), opened(t, two)}
		for range layoutBodies {
			body := a.body()
			body["aggs"] = a.aggs()
			raw, _ := json.Marshal(body)
			want, got := outcomeOf(t, readers[0], raw, &n), outcomeOf(t, readers[1], raw, &n)
			if got != want {
				t.Fatalf("seed %d: %s\nof one file       %s\nof scattered ones %s", seed, raw, want, got)
			}
		}
	}
	if n.answered < n.asked/2 || n.matching < n.answered/3 {
		t.Errorf("the questions are no good: %+v", n)
	}
}

// scattered lays items out in another order, in files of every kind.
func scattered(r *rand.Rand, items []string) map[string]string {
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	files := map[string]string{}
	for i := 0; i < len(items); {
		some := items[i:min(len(items), i+1+r.IntN(9))]
		i += len(some)
		name := fmt.Sprintf("%x/%x", r.IntN(4), r.Uint64())
		switch {
		case len(some) == 1:
			files[name+".json"] = some[0]
		case r.IntN(2) == 0:
			files[name+".json"] = "[" + strings.Join(some, ",\n") + "]"
		default:
			files[name+".ndjson"] = strings.Join(some, "\n")
		}
	}
	return files
}

// built makes a release of some source files, and gives its snapshot.
func built(t *testing.T, files map[string]string) []byte {
	t.Helper()
	dir := t.TempDir()
	content, out := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	for name, text := range files {
		path := filepath.Join(content, "demo", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generator.Build(context.Background(), generator.Config{Content: content, Out: out, Lists: "-", PageSize: 1000, Compress: "none", NoSync: true}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(out, "current", "snapshots", "demo-*"))
	if err != nil || len(found) != 1 {
		t.Fatal("snapshots: ", found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func opened(t *testing.T, b []byte) *snapshot.Reader {
	t.Helper()
	r, err := snapshot.OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcomeOf is all that a snapshot answers to a body, as text.
func outcomeOf(t *testing.T, r *snapshot.Reader, raw []byte, n *tally) string {
	n.asked++
	b, err := query.Parse(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	b.From, b.Size = 0, whole
	res, err := search.Eval(context.Background(), r, b)
	if err != nil {
		return err.Error()
	}
	n.answered++
	if res.Total > 0 {
		n.matching++
	}
	var ids []string
	for _, d := range res.Docs {
		var item struct{ ContentID string }
		if err := json.Unmarshal(r.Fragment(d), &item); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, item.ContentID)
	}
	return fmt.Sprintf("%d %v %s", res.Total, ids, res.Aggregations)
}

// aggs is an aggregation that suits a field of any kind but text.
func (a *asker) aggs() object {
	f := pick(a.Rand, append(a.typed, "_id", "Name.keyword", "Data.nope.long"))
	if words := a.field(); a.kinds[words] == onKeyword && a.oneIn(2) {
		f = words
	}
	kinds := []string{"terms", "cardinality", "value_count"}
	switch a.kinds[f] {
	case onDate:
		kinds = append(kinds, "date_histogram", "max")
	case onNumber:
		kinds = append(kinds, "stats", "sum", "min")
	case onBool:
		kinds = append(kinds, "avg")
	}
	kind := pick(a.Rand, kinds)
	c := object{"field": f}
	if kind == "date_histogram" {
		c["calendar_interval"], c["min_doc_count"] = "year", 1
	}
	return object{"a": object{kind: c}}
}
