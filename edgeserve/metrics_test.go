package edgeserve

import "testing"

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
