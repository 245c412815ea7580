// These tests leave paths of random items out of the index.

package index_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/leftout"
	"contentedge/generator/index"
	"contentedge/generator/index/indextest"
	"contentedge/generator/mapping"
)

// rules returns rules in canonical form from two lists of paths.
func rules(tb testing.TB, exclude, include string) leftout.Rules {
	tb.Helper()
	r, err := leftout.New(strings.Fields(exclude), strings.Fields(include), nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// environmentOf describes items of which the rules leave out some paths.
func environmentOf(docs indextest.Docs, out leftout.Rules) index.Environment {
	var fields []mapping.Field
	for _, f := range docs.Fields() {
		if !out.Covers(f.Path) {
			fields = append(fields, f)
		}
	}
	return index.Environment{Env: "random", Sort: "CreatedAt", Fields: fields, LeftOut: out}
}

// withMore indexes items that have more than the twin knows: a copy of Data, and text of the kinds that other paths
// have. All of it is left out, so that searches must find what the twin finds.
func withMore(tb testing.TB, items []string) *snapshot.Reader {
	tb.Helper()
	docs := make(indextest.Docs, len(items))
	for i, text := range items {
		var item struct{ Data json.RawMessage }
		if err := json.Unmarshal([]byte(text), &item); err != nil {
			tb.Fatal(err)
		}
		if item.Data == nil {
			item.Data = json.RawMessage("{}")
		}
		more := `,"zz":{"copy":` + string(item.Data) + `,"title":"fox","n":[1,"2024-01-01",true,"a fox"]}}`
		docs[i] = []byte(strings.TrimSuffix(text, "}") + more)
	}
	var b bytes.Buffer
	if err := index.Write(&b, environmentOf(docs, rules(tb, "zz", "")), docs); err != nil {
		tb.Fatal(err)
	}
	r, err := snapshot.OpenBytes(b.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestSearchesWithoutPathsLeftOut(t *testing.T) { searchtest.TestBuilt(t, withMore) }

// written returns the snapshot of items, built over a baseline unless that is nil.
func written(tb testing.TB, docs indextest.Docs, out leftout.Rules, baseline *index.Baseline) []byte {
	tb.Helper()
	c := environmentOf(docs, out)
	c.Baseline = baseline
	var b bytes.Buffer
	if err := index.Write(&b, c, docs); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Other rules, other items or both: a build over a baseline makes the bytes of a full build.
func TestRulesChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 13))
	choices := []leftout.Rules{{}, rules(t, "Data", ""), rules(t, "Data", "Data.title Data.n"), rules(t, "Data.title Data.body", "Data.body.a"), rules(t, "Data.tags extra", ""), rules(t, "Data.body.a", "")}
	item := func(id int) []byte {
		word := func() string {
			return []string{"fox", "a longer text with many words of foxes", "2024-05-01", "7"}[rng.IntN(4)]
		}
		value := []string{`1`, `2.5`, `true`, `"` + word() + `"`, `["` + word() + `",1]`}[rng.IntN(5)]
		return fmt.Appendf(nil, `{"ContentID":"i%03d","Name":%q,"CreatedAt":"2024-01-01T00:00:00.000Z","Data":{"title":%q,"n":%d,"tags":%s,"body":{"a":%q,"b":%s}},"extra":%q}`,
			id, word(), word(), rng.IntN(9), value, word(), value, word())
	}
	for round := range 60 {
		var docs indextest.Docs
		for id := range 12 + rng.IntN(30) {
			docs = append(docs, item(id))
		}
		before, after := choices[rng.IntN(len(choices))], choices[rng.IntN(len(choices))]
		old := opened(t, written(t, docs, before, nil))
		baseline := &index.Baseline{Reader: old, InPlace: true}
		changed := slices.Clone(docs)
		for i := range changed {
			baseline.Same = append(baseline.Same, int32(i))
			if rng.IntN(8) == 0 {
				if next := item(i); !bytes.Equal(next, changed[i]) {
					changed[i], baseline.Same[i] = next, index.NoDoc
				}
			}
		}
		if removed := round%3 == 0; removed {
			changed, baseline.Same, baseline.InPlace = changed[1:], baseline.Same[1:], false
		}
		if got, want := written(t, changed, after, baseline), written(t, changed, after, nil); !bytes.Equal(got, want) {
			t.Fatalf("round %d: from %q to %q: an incremental build makes other bytes", round, before, after)
		}
		r := opened(t, written(t, changed, after, baseline))
		if err := cmp.Or(r.Verify(nil), r.Check()); err != nil || !r.LeftOut().Equal(after) {
			t.Fatalf("round %d: %v, rules %q", round, err, r.LeftOut())
		}
	}
}
