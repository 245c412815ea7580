// Package statuspage makes the page of the admin listener: one document of HTML that shows what a node does. It is
// complete without scripts; a script of its own only loads it again. Each figure comes from the metrics that Prometheus
// reads, so that both say the same. A figure names its samples in the attribute data-metric, in the form of a selector
// of PromQL.
//
// The page shows what clients sent and what publishers wrote. All texts pass html.text.
package statuspage

import (
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/slowlog"
)

// Page is what a node shows at one moment.
type Page struct {
	Now     time.Time
	Metrics prometheus.Samples
	History *History

	NotReady  string // why the node is not ready; empty if it is
	Refusal   *Refusal
	Following []byte        // the state of the source of releases, as a JSON object; may be empty
	Cluster   []ClusterNode // that evaluate searches; may be empty
	Slow      []slowlog.Entry
	HidesSlow bool // slow searches are not remembered
	Settings  []Setting
	Profiling bool // the listener serves profiles
	Versions  []Setting
}

// Refusal says why the last release was refused.
type Refusal struct {
	At       time.Time
	Reason   string
	Problems []string // each thing that is wrong with it, as far as they were looked for
}

// Setting is one setting of the program.
type Setting struct {
	Name, Value string
	Source      string // where the value is from
}

// Addresses of what the page loads.
const (
	StylePath  = "/-/page.css"
	ScriptPath = "/-/page.js"
	Path       = "/"
)

// Policy is the Content-Security-Policy of the page: it loads nothing but its own style and script, and is not shown in
// a frame.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// renderer writes a page.
type renderer struct {
	html
	*Page
	points []point
}

// HTML returns the page.
func (p *Page) HTML() []byte {
	r := &renderer{Page: p, points: p.History.all()}
	r.raw(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
		`<link rel="icon" href="data:,"><link rel="stylesheet" href="` + StylePath + `"><script src="` + ScriptPath + `" defer></script><title>`)
	r.text(r.title())
	r.raw(`</title></head><body><header><h1>contentedge node</h1><p class="at">As of `)
	r.time(p.Now)
	r.raw(`. <span id="refresh"><a href="` + Path + `">Load again</a></span></p></header><main>`)
	r.notices()
	for _, section := range []func(){
		r.release, r.refused, r.following, r.cluster, r.hour, r.requests, r.refusals, r.memory, r.connections, r.slowest, r.settings, r.versions, r.others,
	} {
		section()
	}
	r.raw("</main><footer><p>The figures come from <a href=\"" + prometheus.Path + "\">the metrics</a>, since the process started unless the page says otherwise.</p></footer></body></html>\n")
	return r.b
}

func (r *renderer) title() string {
	build := "no release"
	if served := r.build(); served != "" {
		build = served
	}
	if r.NotReady != "" {
		return "not ready – " + build + " – contentedge"
	}
	return build + " – contentedge"
}

// notices say first what an operator has to know.
func (r *renderer) notices() {
	r.raw(`<div id="state" role="status">`)
	notice := func(class markup, text string) {
		r.raw(`<p class="notice ` + class + `">`)
		r.text(text)
		r.raw("</p>")
	}
	if r.NotReady == "" {
		notice("good", "Ready: this node serves a release.")
	} else {
		notice("bad", "Not ready: "+r.NotReady)
	}
	if r.Refusal != nil {
		notice("bad", "The last release was refused.")
	}
	for _, m := range members("", r.Following) {
		switch {
		case m.isTrue:
			notice("bad", "Following: "+m.name+".")
		case m.isTrouble():
			notice("bad", "Following: "+m.name+": "+m.value)
		}
	}
	if len(r.Cluster) > 0 && !r.available() {
		notice("bad", "No node of the cluster can search: responses come only from the cache and from files.")
	}
	if r.Profiling {
		notice("warn", "This listener serves profiles. Only operators may reach it.")
	}
	r.raw("</div>\n")
}
