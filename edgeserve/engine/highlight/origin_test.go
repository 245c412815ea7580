// This file compares highlights with those of a real Elasticsearch 7.10.

package highlight_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

func lines(tb testing.TB, name string) (list []string) {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		list = append(list, scanner.Text())
	}
	return list
}

// highlights are the fragments of hits, by id and field.
type highlights map[string]map[string][]string

// ask searches and returns the highlights of the hits.
func ask(tb testing.TB, r *snapshot.Reader, raw string) (highlights, error) {
	tb.Helper()
	body, err := body.Parse([]byte(raw))
	if err != nil {
		return nil, err
	}
	work := scorer.NewWorkLimit(context.Background())
	res, err := search.EvalHits(work, r, body)
	if err != nil {
		return nil, err
	}
	text, err := hits.NewWriterWithoutSource(body).AppendAll(nil, &res.Page, work)
	if err != nil {
		tb.Fatal(err)
	}
	var page []struct {
		ID        string `json:"_id"`
		Highlight map[string][]string
	}
	if err := json.Unmarshal(text, &page); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}
	found := highlights{}
	for _, h := range page {
		if h.Highlight != nil {
			found[h.ID] = h.Highlight
		}
	}
	return found, nil
}

func TestOrigin(t *testing.T) {
	r := searchtest.Snaptest(t, lines(t, "items.ndjson"))
	for i, line := range lines(t, "origin.jsonl") {
		var c struct {
			Body json.RawMessage
			Want highlights
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		got, err := ask(t, r, string(c.Body))
		if err != nil {
			t.Fatalf("%d: %s: %v", i+1, c.Body, err)
		}
		if !reflect.DeepEqual(got, c.Want) {
			t.Errorf("%d: %s\n got %q\nwant %q", i+1, c.Body, got, c.Want)
		}
	}
}
