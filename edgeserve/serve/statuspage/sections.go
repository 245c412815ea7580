// This file writes the sections of the page about the metrics.

package statuspage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// moment is a time in seconds since 1970; 0 is the zero time.
func moment(seconds float64) time.Time {
	if seconds == 0 || math.IsNaN(seconds) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000))
}

func (r *renderer) release() {
	r.section("release", "Release")
	r.raw(`<dl><dt>Build<dd>`)
	info := r.Metrics.Named("contentedge_release_info")
	if len(info) == 0 {
		r.raw("none is served")
	} else {
		r.raw("<code>")
		r.text(info[0].Label("build"))
		r.raw("</code>")
	}
	r.fact("Age of its manifest", metric("contentedge_release_age_seconds"), duration)
	r.stamp("Served since", metric("contentedge_release_swap_timestamp_seconds"))
	r.fact("Releases swapped to", metric("contentedge_release_swaps_total", "result", "ok"), count)
	r.fact("Releases refused", metric("contentedge_release_swaps_total", "result", "failed"), count)
	r.fact("Releases withdrawn for damage", metric("contentedge_release_damaged_total"), count)
	r.stamp("Snapshots found whole", metric("contentedge_snapshot_scrub_timestamp_seconds"))
	r.fact("Files missing", metric("contentedge_release_missing_files_total"), count)
	r.fact("Files unreadable", metric("contentedge_release_unreadable_files_total"), count)
	r.raw("</dl>")
	if items := r.Metrics.Named("contentedge_release_items"); len(items) > 0 {
		r.table("Items by environment", "Environment", "Items")
		for _, s := range items {
			env := s.Label("environment")
			r.heading(env)
			r.figureCell(metric("contentedge_release_items", "environment", env), count)
		}
		r.endTable()
	}
	r.end()
}

// hour is the plots, and the same figures as a table for those who cannot see them.
func (r *renderer) hour() {
	r.section("hour", "The last hour")
	r.raw(`<p>One value for each minute. The counters of a minute are read when it ends.</p><div class="plots">`)
	all := plots(r.points)
	for i := range all {
		r.plot(&all[i])
	}
	r.raw(`</div><details id="minutes"><summary>Figures of each minute</summary>`)
	columns := []markup{"Until"}
	for i := range all {
		for _, l := range all[i].lines {
			columns = append(columns, all[i].title+", "+l.name)
		}
	}
	r.table("Figures of each minute", columns...)
	for i := len(r.points) - 1; i > 0; i-- {
		r.heading(r.points[i].at.UTC().Format("15:04:05"))
		for _, p := range all {
			for _, l := range p.lines {
				r.raw(`<td class="n">`)
				if v := l.values[i-1]; math.IsNaN(v) {
					r.raw("–")
				} else {
					r.text(p.unit(v))
				}
			}
		}
	}
	r.endTable()
	r.raw("</details>")
	r.end()
}

// requests has percentiles of the last hour: those since the start say nothing about now.
func (r *renderer) requests() {
	const requests, bytes = "contentedge_http_requests_total", "contentedge_http_response_bytes_total"
	r.section("traffic", "Requests")
	r.table("Requests by route", "Route", "Responses", "4xx", "5xx", "Bytes of bodies", "Median time", "95th percentile", "99th percentile")
	for _, route := range distinct(r, requests, "route") {
		r.heading(route)
		r.figureCell(metric(requests, "route", route), count)
		r.figureCell(selector{requests, []string{"route", route}, "4"}, count)
		r.figureCell(selector{requests, []string{"route", route}, "5"}, count)
		r.figureCell(metric(bytes, "route", route), size)
		h := histogramOf(r.Metrics, route)
		for _, q := range [...]float64{0.5, 0.95, 0.99} {
			r.raw(`<td class="n">`)
			r.text(h.percentile(q))
		}
	}
	r.endTable()
	r.raw("<dl>")
	r.fact("Requests in flight", metric("contentedge_http_requests_in_flight"), count)
	r.fact("Responses read from files", metric("contentedge_cache_misses_total", "source", "file"), count)
	r.fact("Responses computed", metric("contentedge_cache_misses_total", "source", "computed"), count)
	r.fact("Panics", metric("contentedge_http_panics_total"), count)
	r.fact("Log lines left out", metric("contentedge_log_lines_suppressed_total"), count)
	r.optional("Lines of the access log dropped", metric("contentedge_access_log_lines_dropped_total"), count)
	r.raw("</dl>")
	r.end()
}

// distinct returns the values of a label, in the order of the samples.
func distinct(r *renderer, name, label string) (values []string) {
	for _, s := range r.Metrics.Named(name) {
		if v := s.Label(label); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// refusals are the statuses and codes that occurred, the most frequent first.
func (r *renderer) refusals() {
	r.section("refusals", "Refusals")
	r.refusalTable("By status", "Status", "contentedge_http_requests_total", func(code string) bool {
		return strings.HasPrefix(code, "4") || strings.HasPrefix(code, "5") || code == "other"
	})
	r.refusalTable("Searches, by the error's code", "Code", "contentedge_search_rejections_total", func(string) bool { return true })
	r.end()
}

func (r *renderer) refusalTable(title, column markup, name string, counts func(code string) bool) {
	codes := slices.DeleteFunc(distinct(r, name, "code"), func(code string) bool {
		v, _ := r.Metrics.Sum(name, "code", code)
		return v == 0 || !counts(code)
	})
	slices.SortStableFunc(codes, func(a, b string) int {
		x, _ := r.Metrics.Sum(name, "code", a)
		y, _ := r.Metrics.Sum(name, "code", b)
		return cmp.Compare(y, x)
	})
	r.raw("<h3>" + title + "</h3>")
	if len(codes) == 0 {
		r.raw("<p>There were none.</p>")
		return
	}
	r.table(title, column, "Responses")
	for _, code := range codes {
		r.heading(code)
		r.figureCell(metric(name, "code", code), count)
	}
	r.endTable()
}

func (r *renderer) memory() {
	r.section("memory", "Memory")
	r.table("Memory by budget", "Budget", "Used", "Limit", "Share")
	for _, budget := range distinct(r, "contentedge_memory_budget_bytes", "budget") {
		r.use(budget, metric("contentedge_memory_used_bytes", "budget", budget), metric("contentedge_memory_budget_bytes", "budget", budget), size)
	}
	r.endTable()
	r.raw("<dl>")
	r.fact("Heap", metric("go_memstats_heap_alloc_bytes"), size)
	r.fact("Memory of the Go runtime", metric("go_memstats_sys_bytes"), size)
	r.optional("Resident, with pages of snapshots", metric("process_resident_memory_bytes"), size)
	r.raw("</dl>")
	r.end()
}

func (r *renderer) connections() {
	r.section("connections", "Connections and searches")
	r.table("Connections and searches", "What", "Now", "Limit", "Share")
	r.use("Open connections", metric("contentedge_http_connections"), metric("contentedge_http_connections_limit"), count)
	r.use("Slots for searches", metric("contentedge_search_slots_used"), metric("contentedge_search_slots"), count)
	r.use("File descriptors", metric("process_open_fds"), metric("process_max_fds"), count)
	r.endTable()
	r.raw("<dl>")
	r.fact("Searches running", metric("contentedge_searches_running"), count)
	r.fact("Searches waiting", metric("contentedge_searches_waiting"), count)
	r.fact("Searches computed", metric("contentedge_searches_total"), count)
	r.fact("Connections refused", metric("contentedge_http_connections_refused_total"), count)
	r.fact("Failures to accept", metric("contentedge_http_accept_errors_total"), count)
	r.raw("</dl>")
	r.end()
}

func (r *renderer) versions() {
	r.section("versions", "Versions and uptime")
	r.raw("<dl>")
	for _, v := range r.Versions {
		r.raw("<dt>")
		r.text(v.Name)
		r.raw("<dd>")
		r.text(v.Value)
	}
	r.stamp("Started", metric("process_start_time_seconds"))
	r.fact("Processor time", metric("process_cpu_seconds_total"), duration)
	r.fact("Processors for Go", metric("go_sched_gomaxprocs_threads"), count)
	r.fact("Goroutines", metric("go_goroutines"), count)
	r.raw("</dl>")
	r.end()
}
