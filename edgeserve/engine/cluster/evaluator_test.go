package cluster_test

import (
	"context"
	"testing"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
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

// TestItem reads items from the index where no other place has them.
func TestItem(t *testing.T) {
	m, twin, _ := play(t)
	item := `{"ContentID":"A"}`
	for name, tt := range map[string]struct {
		response string
		err      error
		want     string
		found    bool
		fails    bool
	}{
		"an item":                 {response: `{"_index":"site-1","_id":"A","found":true,"_source":{"ContentID":"A","_sub":{"rank·":7}}}`, want: item, found: true},
		"no item":                 {err: &cluster.StatusError{Status: 404}},
		"no index":                {err: &cluster.StatusError{Status: 404, Type: "index_not_found_exception"}, fails: true},
		"a document without rank": {response: `{"found":true,"_source":{"ContentID":"A"}}`, fails: true},
		"no document":             {response: `{"found":true}`, fails: true},
		"another response":        {response: `{}`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{response: tt.response, err: tt.err}
			got, found, err := cluster.New(m.Environments[0], twin, "site-1", 3, p, nil).Item("A/b")
			if string(got) != tt.want || found != tt.found || (err != nil) != tt.fails {
				t.Errorf("%s %v %v", got, found, err)
			}
			if len(p.asked) != 1 || p.asked[0].Path != "/site-1/_doc/A%2Fb" || p.asked[0].Method != "GET" {
				t.Errorf("asked %+v", p.asked)
			}
		})
	}
	elsewhere := cluster.New(m.Environments[0], twin, "site-1", 3, &player{err: cluster.ErrUnavailable}, items{"A": item})
	if got, found, err := elsewhere.Item("A"); string(got) != item || !found || err != nil {
		t.Errorf("%s %v %v", got, found, err)
	}
}

type items map[string]string

// Item implements cluster.Items.
func (i items) Item(_ context.Context, id string) ([]byte, bool, error) {
	item, ok := i[id]
	return []byte(item), ok, nil
}
