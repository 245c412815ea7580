// This file writes the sections of the page about the metrics.

package statuspage

import (
	"math"
	"strings"
)

// The metrics that several sections show.
const (
	requestsMetric = "contentedge_http_requests_total"
	missesMetric   = "contentedge_cache_misses_total"
	swapsMetric    = "contentedge_release_swaps_total"
	itemsMetric    = "contentedge_release_items"
	usedMetric     = "contentedge_memory_used_bytes"
	budgetMetric   = "contentedge_memory_budget_bytes"
	freeMetric     = "contentedge_disk_free_bytes"
)

// of is the selector of all samples of a metric.
func of(name string) selector { return selector{name: name} }

// facts of the sections, in the order in which operators ask.
var (
	releaseFacts = []fact{
		{"Age of its manifest", selector{name: "contentedge_release_age_seconds"}, asSeconds},
		{"Items appear or expire", selector{name: "contentedge_release_next_change_timestamp_seconds"}, asMoment},
		{"Served since", selector{name: "contentedge_release_swap_timestamp_seconds"}, asMoment},
		{"Releases swapped to", selector{name: swapsMetric, label: "result", value: "ok"}, asNumber},
		{"Releases refused", selector{name: swapsMetric, label: "result", value: "failed"}, asNumber},
		{"Releases withdrawn for damage", selector{name: "contentedge_release_damaged_total"}, asNumber},
		{"Snapshots found whole", selector{name: "contentedge_snapshot_scrub_timestamp_seconds"}, asMoment},
		{"Files missing", selector{name: "contentedge_release_missing_files_total"}, asNumber},
		{"Files unreadable", selector{name: "contentedge_release_unreadable_files_total"}, asNumber},
	}
	requestFacts = []fact{
		{"Requests in flight", selector{name: "contentedge_http_requests_in_flight"}, asNumber},
		{"Responses read from files", selector{name: missesMetric, label: "source", value: "file"}, asNumber},
		{"Responses computed", selector{name: missesMetric, label: "source", value: "computed"}, asNumber},
		{"Panics", selector{name: "contentedge_http_panics_total"}, asNumber},
		{"Log lines left out", selector{name: "contentedge_log_lines_suppressed_total"}, asNumber},
		{"Lines of the access log dropped", selector{name: "contentedge_access_log_lines_dropped_total"}, asNumber},
	}
	memoryFacts = []fact{
		{"Heap", selector{name: "go_memstats_heap_alloc_bytes"}, asBytes},
		{"Memory of the Go runtime", selector{name: "go_memstats_sys_bytes"}, asBytes},
		{"Resident, with pages of snapshots", selector{name: "process_resident_memory_bytes"}, asBytes},
	}
	connectionFacts = []fact{
		{"Searches running", selector{name: "contentedge_searches_running"}, asNumber},
		{"Searches waiting", selector{name: "contentedge_searches_waiting"}, asNumber},
		{"Searches computed", selector{name: "contentedge_searches_total"}, asNumber},
		{"Connections refused", selector{name: "contentedge_http_connections_refused_total"}, asNumber},
		{"Failures to accept", selector{name: "contentedge_http_accept_errors_total"}, asNumber},
		{"Certificate valid until", selector{name: "contentedge_tls_certificate_not_after_timestamp_seconds"}, asMoment},
		{"TLS handshakes that failed", selector{name: "contentedge_tls_handshake_errors_total"}, asNumber},
	}
	processFacts = []fact{
		{"Started", selector{name: "process_start_time_seconds"}, asMoment},
		{"Processor time", selector{name: "process_cpu_seconds_total"}, asSeconds},
		{"Processors for Go", selector{name: "go_sched_gomaxprocs_threads"}, asNumber},
		{"Goroutines", selector{name: "go_goroutines"}, asNumber},
	}
)

func (r *renderer) release() {
	r.section("release", "Release")
	r.raw(`<dl><dt>Build<dd>`)
	if build := r.build(); build == "" {
		r.raw("none is served")
	} else {
		r.raw("<code>")
		r.text(build)
		r.raw("</code>")
	}
	r.facts(releaseFacts)
	r.raw("</dl>")
	if items := r.Metrics.Named(itemsMetric); len(items) > 0 { // one for each environment
		r.table("Items by environment", "Environment", "Items")
		for i := range items {
			env := items[i].Label("environment")
			r.heading(env)
			r.raw(`<td class="n">`)
			r.data(selector{name: itemsMetric, label: "environment", value: env}, asNumber, items[i].Value)
		}
		r.endTable()
	}
	r.end()
}

// build is the served release; empty without one.
func (r *renderer) build() string {
	for _, build := range r.distinct("contentedge_release_info", "build") {
		return build
	}
	return ""
}

// hour is the plots, and the same figures as a table for readers who cannot see them.
func (r *renderer) hour() {
	r.section("hour", "The last hour")
	r.raw(`<p>One value for each minute. The counters are read when a minute ends.</p><div class="plots">`)
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
				r.text(p.write(l.values[i-1]))
			}
		}
	}
	r.endTable()
	r.raw("</details>")
	r.end()
}

// requests has percentiles of the last hour: percentiles since the start say little about now.
func (r *renderer) requests() {
	r.section("traffic", "Requests")
	r.table("Requests by route", "Route", "Responses", "4xx", "5xx", "Bytes of bodies", "p50, last hour", "p95, last hour", "p99, last hour")
	now := histogramsOf(r.Metrics)
	for _, route := range r.distinct(requestsMetric, "route") {
		s := selector{name: requestsMetric, label: "route", value: route}
		r.heading(route)
		r.figureCell(s, asNumber)
		s.codes = "4"
		r.figureCell(s, asNumber)
		s.codes = "5"
		r.figureCell(s, asNumber)
		r.figureCell(selector{name: "contentedge_http_response_bytes_total", label: "route", value: route}, asBytes)
		h := now[route]
		if len(r.points) > 0 {
			h = h.since(r.points[0].durations[route])
		}
		for _, q := range percentiles {
			r.raw(`<td class="n">`)
			r.text(h.percentile(q))
		}
	}
	r.endTable()
	r.raw("<dl>")
	r.facts(requestFacts)
	r.raw("</dl>")
	r.end()
}

// refusal is a metric that counts refusals by a label.
type refusal struct {
	title, column markup
	name, label   string
	least         string // values of the label below it are not refusals
}

// refused are the metrics of refusals. A node lacks the metrics of what it does not do.
var refused = []refusal{
	{"By status", "Status code", requestsMetric, "code", "4"},
	{"Searches, by the error's code", "Code", "contentedge_search_rejections_total", "code", ""},
	{"Polls of the store, by reason", "Reason", "contentedge_follow_refusals_total", "reason", ""},
	{"Of clients with too many, by limit", "Limit", "contentedge_rate_limited_total", "limit", ""},
}

// refusals are what occurred, the most frequent first.
func (r *renderer) refusals() {
	r.section("refusals", "Refusals")
	for i := range refused {
		r.refusalTable(&refused[i])
	}
	r.end()
}

func (r *renderer) refusalTable(f *refusal) {
	all := r.distinct(f.name, f.label)
	if len(all) == 0 {
		return
	}
	var values []string
	times := map[string]float64{}
	for _, value := range all {
		times[value], _ = selector{name: f.name, label: f.label, value: value}.of(r.Metrics)
		if times[value] == 0 || value < f.least {
			continue
		}
		values = append(values, value)
		for i := len(values) - 1; i > 0 && times[values[i]] > times[values[i-1]]; i-- {
			values[i], values[i-1] = values[i-1], values[i]
		}
	}
	r.raw("<h3>" + f.title + "</h3>")
	if len(values) == 0 {
		r.raw("<p>There were none.</p>")
		return
	}
	r.table(f.title, f.column, "Times")
	for _, value := range values {
		r.heading(value)
		r.figureCell(selector{name: f.name, label: f.label, value: value}, asNumber)
	}
	r.endTable()
}

func (r *renderer) memory() {
	r.section("memory", "Memory and disks")
	r.table("Memory by budget", "Budget", "Used", "Limit", "Share")
	for _, budget := range r.distinct(budgetMetric, "budget") {
		r.use(budget, selector{name: usedMetric, label: "budget", value: budget}, selector{name: budgetMetric, label: "budget", value: budget}, asBytes)
	}
	r.endTable()
	r.raw("<dl>")
	r.facts(memoryFacts)
	r.raw("</dl>")
	r.disks()
	r.end()
}

// disks is the space of the directories that the node writes to; nothing for a node that writes nowhere.
func (r *renderer) disks() {
	paths := r.distinct(freeMetric, "path")
	if len(paths) == 0 {
		return
	}
	r.table("Disks", "Directory", "Free", "Size")
	for _, path := range paths {
		r.heading(path)
		r.figureCell(selector{name: freeMetric, label: "path", value: path}, asBytes)
		r.figureCell(selector{name: "contentedge_disk_size_bytes", label: "path", value: path}, asBytes)
	}
	r.endTable()
}

func (r *renderer) connections() {
	r.section("connections", "Connections and searches")
	r.table("Connections and searches", "What", "Now", "Limit", "Share")
	r.use("Open connections", of("contentedge_http_connections"), of("contentedge_http_connections_limit"), asNumber)
	r.use("Slots for searches", of("contentedge_search_slots_used"), of("contentedge_search_slots"), asNumber)
	r.use("File descriptors", of("process_open_fds"), of("process_max_fds"), asNumber)
	r.endTable()
	r.raw("<dl>")
	r.facts(connectionFacts)
	r.raw("</dl>")
	r.end()
}

// others are the metrics that belong to no section, such as the metrics of optional features.
func (r *renderer) others() {
	var names []string
	seen := map[string]bool{}
	for i := range r.Metrics {
		name := r.Metrics[i].Name
		if !seen[name] && strings.HasPrefix(name, "contentedge_") && !strings.HasSuffix(name, "_bucket") {
			names = append(names, name)
		}
		seen[name] = true
	}
	r.section("metrics", "All metrics")
	r.raw(`<details id="all-metrics"><summary>The sum of each</summary>`)
	r.table("All metrics", "Metric", "Value")
	for _, name := range names {
		r.heading(name)
		r.figureCell(of(name), asNumber)
	}
	r.endTable()
	r.raw("</details>")
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
	r.facts(processFacts)
	r.raw("</dl>")
	r.end()
}

// write writes a value of a plot; NaN is not known.
func (p *plot) write(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return p.unit(v)
}
