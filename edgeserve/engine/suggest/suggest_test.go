package suggest_test

import (
	"context"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
)

// The search with two edits fills both places before it comes to the nearest word. That word does not
// enter: its similarity by edits is below the scores, which are of another measure. The search with
// one edit has found it already. Lucene does the same.
func TestFewCandidates(t *testing.T) {
	r := searchtest.Snaptest(t, []string{
		`{"ContentID":"a","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"winter winder"}`,
		`{"ContentID":"b","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"winter winder winds"}`,
	})
	body, err := body.Parse([]byte(`{"suggest":{"s":{"text":"wintes","term":{"field":"Name","string_distance":"jaro_winkler","sort":"frequency","shard_size":2,"max_inspections":1}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	found, err := search.Eval(context.Background(), r, body)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"s":[{"text":"wintes","offset":0,"length":6,"options":[{"text":"winter","score":0.9444444,"freq":2},{"text":"winder","score":0.8444445,"freq":2}]}]}`
	if got := string(found.Suggestions); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
