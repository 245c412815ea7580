// This file compares search with what Lucene answers: six items and 137 queries, made
// by an Elasticsearch 7 query layer on real Lucene. The twin that random queries are
// compared with has to pass the same test, down to its scores.

package searchtest

import (
	"embed"

	"bytes"

	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"

	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
)

//go:embed testdata
var testdata embed.FS

// readLines reads a file of test data, and compacts JSON.
func readLines(tb testing.TB, name string) (lines []string) {
	tb.Helper()
	b, err := testdata.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		lines = append(lines, line)
	}
	return compact(tb, lines)
}

// compact takes the white space out of JSON texts.
func compact(tb testing.TB, texts []string) (out []string) {
	tb.Helper()
	for _, text := range texts {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(text)); err != nil {
			tb.Fatal(err)
		}
		out = append(out, b.String())
	}
	return out
}

// goldenCase is a query and its answer.
type goldenCase struct {
	ID        string
	Body      json.RawMessage
	RawBody   string
	Error     string
	Total     int
	SetHash   string
	IDs       []string
	Scores    []float64
	TieGroups [][]any // rank, number, hash
}

func (c *goldenCase) body() []byte {
	if c.RawBody != "" {
		return []byte(c.RawBody)
	}
	return c.Body
}

// ties numbers the ranks of a page so that ranks with one score have one number.
func (c *goldenCase) ties(from int) []int {
	group := make([]int, len(c.IDs))
	for i := range group {
		group[i] = i
		for _, g := range c.TieGroups {
			if first, n := int(g[0].(float64))-from, int(g[1].(float64)); first <= i && i < first+n {
				group[i] = first
			}
		}
	}
	return group
}

func setHash(ids []string) string {
	sum := uint64(0)
	for _, id := range ids {
		h := fnv.New64a()
		h.Write([]byte(id))
		sum += h.Sum64()
	}
	return fmt.Sprintf("%016x", sum)
}

// names gives documents by ContentID.
func (t *twin) names(docs []snapshot.DocID) (ids []string) {
	for _, d := range docs {
		ids = append(ids, t.ids[d])
	}
	return ids
}

func testGolden(t *testing.T, open Open) {
	e := newEnv(t, open, readLines(t, "tiny.ndjson"))
	checkGolden(t, e, readLines(t, "tiny-cases.jsonl"))
}

func checkGolden(t *testing.T, e *env, lines []string) {
	for _, line := range lines {
		var c goldenCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			b, err := body.Parse(c.body())
			var h hits
			if err == nil {
				if _, err = e.eval(b, 0, whole); err == nil {
					h, err = e.twin.search(b.Query)
				} else if _, twinErr := e.twin.search(b.Query); twinErr == nil {
					t.Error("the twin answers this: ", err)
				}
			}
			if (err != nil) != (c.Error != "") {
				t.Fatalf("%s\nerror %v, want %q", c.body(), err, c.Error)
			}
			if err == nil {
				c.checkSearch(t, e, b)
				c.checkTwin(t, e.twin, h)
			}
		})
	}
}

func (c *goldenCase) checkSearch(t *testing.T, e *env, b *query.Body) {
	all, _ := e.eval(b, 0, whole)
	if got := setHash(e.twin.names(all.Docs)); all.Total != c.Total || len(all.Docs) != c.Total || got != c.SetHash {
		t.Errorf("%s\ntotal %d, %d documents %s, want %d %s", c.body(), all.Total, len(all.Docs), got, c.Total, c.SetHash)
	}
	page, err := search.Eval(context.Background(), e.r, b)
	if err != nil || len(page.Docs) != len(c.IDs) {
		t.Fatalf("%s\npage %v %v, want %v", c.body(), page, err, c.IDs)
	}
	ties := c.ties(b.Window.From)
	for i, id := range e.twin.names(page.Docs) {
		j := slices.Index(c.IDs, id)
		if j >= 0 && ties[i] == ties[j] || j < 0 && ties[i] != i || j < 0 && len(c.TieGroups) > 0 {
			continue
		}
		t.Errorf("%s\nrank %d is %s, want %v", c.body(), i, id, c.IDs)
	}
}

func (c *goldenCase) checkTwin(t *testing.T, tw *twin, h hits) {
	var ids []string
	for i, s := range h {
		if s >= 0 {
			ids = append(ids, tw.ids[i])
		}
		if j := slices.Index(c.IDs, tw.ids[i]); j >= 0 && math.Abs(s-c.Scores[j]) > 1e-5*max(1, s) {
			t.Errorf("%s\ntwin scores %s %v, want %v", c.body(), tw.ids[i], s, c.Scores[j])
		}
	}
	if len(ids) != c.Total || setHash(ids) != c.SetHash {
		t.Errorf("%s\ntwin matches %v, want %v", c.body(), ids, c.IDs)
	}
}
