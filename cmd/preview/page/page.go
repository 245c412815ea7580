// Package page serves what a person sees of preview: the page at /, and below /-/ its files, its
// API and its events. Reads need no key: who reaches preview may read drafts anyway. Requests that
// change something must come from the page itself (safety.go).
package page

import (
	"crypto/rand"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
)

// PageConfig configures a Page.
type PageConfig struct {
	Content string   // the content directory, as its user named it
	Origins []string // whose pages may follow the events, in addition to pages of this machine
	View    View     // at the start
	Site    Site     // what the last good build knows of the items
	// Apply builds with another view, and returns when that has ended. Calls may overlap.
	Apply func(View)
}

// Page serves the page, its API and its events. Preview tells it what happens.
type Page struct {
	cfg    PageConfig
	files  map[string]file
	pace   pace
	ended  chan struct{} // closed at the end of preview
	finish sync.Once

	mu      sync.Mutex // guards all below: a state and the number of its last event belong together
	view    View
	builds  builds
	served  served
	events  events
	refused []string // origins, each once
}

// New returns the page of a preview that has built nothing yet.
func New(cfg PageConfig) *Page {
	return &Page{cfg: cfg, files: embedded(), pace: standard, ended: make(chan struct{}), view: cfg.View, served: served{names: new(sync.Map)},
		events: events{process: rand.Text()[:8], changed: make(chan struct{})}}
}

// Close ends the streams of events.
func (p *Page) Close() { p.finish.Do(func() { close(p.ended) }) }

// Serve answers a request for the page; false for any other.
func (p *Page) Serve(ctx *fasthttp.RequestCtx) bool {
	path, query := target(ctx)
	if path != "/" && !strings.HasPrefix(path, "/-/") {
		return false
	}
	setSafeHeaders(ctx)
	r, err := p.route(path)
	if err == nil {
		err = p.allows(ctx, r)
	}
	if err == nil {
		err = r.serve(&request{RequestCtx: ctx, query: query})
	}
	if err != nil {
		sendProblem(ctx, err)
	}
	return true
}

type request struct {
	*fasthttp.RequestCtx
	query string // raw
}

// target splits a request's target into path and query, as they were sent.
func target(ctx *fasthttp.RequestCtx) (path, query string) {
	t := string(ctx.Request.Header.RequestURI())
	if _, rest, absolute := strings.Cut(t, "://"); absolute && !strings.HasPrefix(t, "/") {
		t = rest[strings.IndexAny(rest+"/", "/?"):]
	}
	path, query, _ = strings.Cut(t, "?")
	return path, query
}
