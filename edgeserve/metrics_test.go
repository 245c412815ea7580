package edgeserve

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/wire/release"
)

// A scraper gets OpenMetrics and gzip if it takes them, and else the text that it always got.
func TestMetricsForms(t *testing.T) {
	_, admin, _, _ := startAdmin(t, nil)
	for _, c := range []struct{ accept, codings, media, coding string }{
		{"", "", prometheus.ContentType, ""},
		{"application/openmetrics-text;version=1.0.0,text/plain;q=0.5", "gzip", prometheus.OpenMetricsType, "gzip"},
		{"text/plain", "br, zstd", prometheus.ContentType, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+admin+prometheus.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", c.accept)
		req.Header.Set("Accept-Encoding", c.codings)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.Header.Get("Content-Type") != c.media || resp.Header.Get("Content-Encoding") != c.coding {
			t.Errorf("%+v: %v, %v", c, resp.Header, err)
			continue
		}
		if c.coding != "" {
			small := len(body)
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(r); err != nil || small > len(body)/2 {
				t.Errorf("%d of %d bytes, %v", small, len(body), err)
			}
		}
		parse := prometheustest.Parse
		if c.media == prometheus.OpenMetricsType {
			parse = prometheustest.ParseOpenMetrics
		}
		if parse(t, body)["contentedge_search_slots"] <= 0 {
			t.Errorf("%+v: no samples", c)
		}
	}
}

// The age of a manifest from the future is 0. The gauge of a refused release says what is now.
func TestReleaseGauges(t *testing.T) {
	s, _, admin, dir, _ := startAdminServer(t, nil)
	manifest := filepath.Join(dir, release.ManifestName)
	good, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text    string
		refused float64
	}{{string(good), 0}, {"{", 1}, {string(good), 0}} {
		if err := os.WriteFile(manifest, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if future := time.Now().Add(1e4 * time.Hour); c.refused == 0 {
			if err := os.Chtimes(manifest, future, future); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Reload(t.Context()); (err != nil) != (c.refused == 1) {
			t.Errorf("%.20q: %v", c.text, err)
		}
		if got := metric(t, admin, "contentedge_release_refused"); got != c.refused {
			t.Errorf("%.20q: refused is %g", c.text, got)
		}
		if age := metric(t, admin, "contentedge_release_age_seconds"); age < 0 || c.refused == 0 && age > 0 {
			t.Errorf("%.20q: an age of %g s", c.text, age)
		}
	}
}

// A response counts as a miss unless it comes from the cache, and the memory of the cache is shown
// beside its budget.
func TestCacheMetrics(t *testing.T) {
	public, admin, _, _ := startAdmin(t, nil)
	expect := func(what string, file, computed float64) {
		t.Helper()
		got := [2]float64{metric(t, admin, `contentedge_cache_misses_total{source="file"}`), metric(t, admin, `contentedge_cache_misses_total{source="computed"}`)}
		if got != [2]float64{file, computed} {
			t.Errorf("after %s: %v misses, want %g and %g", what, got, file, computed)
		}
	}
	ask(t, public, "GET", listRoot+"/Content_1", "", "")
	expect("an item", 0, 1)
	for range 2 {
		ask(t, public, "GET", listRoot+"/Content_1", "", "")
		expect("the same item", 1, 1) // cached at the second request
	}
	for i := range 3 {
		ask(t, public, "POST", esRoot, "", `{"query":{"match":{"Name":"x"}}}`)
		expect("a search", 1, 1+min(float64(i+1), 2)) // cached at the second request
	}
	used, budget := metric(t, admin, `contentedge_memory_used_bytes{budget="cache"}`), metric(t, admin, `contentedge_memory_budget_bytes{budget="cache"}`)
	if used <= 0 || budget != DefaultCacheBytes {
		t.Errorf("the cache has %g of %g bytes", used, budget)
	}
	for _, series := range []string{`contentedge_memory_budget_bytes{budget="requests"}`, `contentedge_memory_budget_bytes{budget="responses"}`, `contentedge_memory_budget_bytes{budget="searches"}`, "contentedge_search_slots", "contentedge_http_connections_limit"} {
		if metric(t, admin, series) <= 0 {
			t.Errorf("%s is missing", series)
		}
	}
}
