package clusterbench

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bench/corpus"
	"contentedge/edgeserve/engine/query/body"
)

// TestClusterbench draws every family from synthetic items: its requests are ones that the edge takes.
func TestClusterbench(t *testing.T) {
	families, err := draw(corpus.Synthetic(300), 7, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != len(drawn)+1 {
		t.Errorf("%d families have requests, want %d", len(families), len(drawn)+1)
	}
	for _, f := range families {
		if len(f.requests) != 7 {
			t.Errorf("%s has %d requests, want 7", f.name, len(f.requests))
		}
		for _, r := range f.requests {
			if _, err := body.Parse([]byte(r.body)); r.method == http.MethodPost && err != nil {
				t.Errorf("%s: %s: %v", f.name, r.body, err)
			}
		}
	}
}

// TestFaceted shows the search with facets: a facet without a field in the corpus is left out.
func TestFaceted(t *testing.T) {
	for _, c := range []struct {
		fields corpus.Fields
		want   string
	}{
		{nil, `{"from":0,"query":{"bool":{"must":[{"match":{"F":"w"}},{"match_phrase_prefix":{"F":"w"}},{"match_phrase":{"TemplateName":"T"}}]}},"size":10}`},
		{corpus.Fields{{Path: "Data.file.Size", Type: "number"}}, `{"from":0,"query":{"bool":{"must":[{"match":{"F":"w"}},{"match_phrase_prefix":{"F":"w"}},{"match_phrase":{"TemplateName":"T"}},{"range":{"Data.file.Size.long":{"gte":"0","lte":"1048576"}}}]}},"size":10}`},
	} {
		if got, err := json.Marshal(faceted([]string{"F", "w", "T"}, c.fields)); err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
}

func TestProxy(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusUnsupportedMediaType)
		}
		_, _ = w.Write([]byte("found"))
	}))
	defer node.Close()
	p := &proxy{node: node.URL}
	server := httptest.NewServer(p)
	defer server.Close()
	sent := request{"POST", "/i/_search?a=b", "{}"}
	got, err := newClient(server.URL, 1).do(sent)
	if err != nil || string(got) != "found" {
		t.Errorf("got %s, %v", got, err)
	}
	if kept := p.take(); len(kept) != 1 || kept[0] != sent || len(p.take()) != 0 {
		t.Errorf("the proxy kept %v", kept)
	}
}

func TestHitRate(t *testing.T) {
	for _, c := range []struct {
		n               int
		node, miss, hit float64
		want            float64
	}{
		{4, 1, 0, 0, 0.25},
		{4, 1, 0.1, 0.1, 0.35},
		{4, 1, 0.1, 0, 0.35 / 1.1},
	} {
		if got := hitRate(c.n, c.node, c.miss, c.hit); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("of %d nodes: got %v, want %v", c.n, got, c.want)
		}
	}
}

// TestTable shows the figures of one family.
func TestTable(t *testing.T) {
	f := &family{name: "prefix", requests: make([]request, 5), differ: 1, ways: map[way]figures{
		snapshot: {edge: 100_000, p50: 200_000, p99: 300_000},
		bare:     {nodes: 4_000_000, p50: 5_000_000, p99: 6_000_000},
		through:  {edge: 400_000, nodes: 4_100_000, p50: 5_500_000, p99: 7_000_000},
		cached:   {edge: 20_000, p50: 50_000, p99: 60_000},
	}}
	b := &bench{count: 1000, families: []*family{f}, loaded: loading{wall: 250e6, bytes: 2_000_000}}
	var out strings.Builder
	if err := b.table(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| items a second | 4000 |\n",
		"| bytes of the index for each item | 2000 |\n",
		"| prefix | 0.100 | 4.00 | 0.400 + 4.10 | 10.0 % | 0.020 | 1 of 5 |\n",
		"| prefix | 0.20 / 0.30 | 5.00 / 6.00 | 5.50 / 7.00 | 0.05 / 0.06 |\n",
		"| 10 | 18 % |\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the tables lack %q:\n%s", line, out.String())
		}
	}
}
