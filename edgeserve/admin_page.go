// This file serves what browsers open on the admin listener: the page and what it loads.

package edgeserve

import (
	"context"
	"encoding/json"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// adminBrowsed answers GET and HEAD of the page, of what it loads, and of profiles.
func (s *Server) adminBrowsed(serving context.Context, ctx *fasthttp.RequestCtx, path, query string) {
	answer := s.browsed(serving, path, query)
	switch {
	case answer == nil:
		s.respond.fail(ctx, problem.Of(problem.UnknownRoute))
	case !address.Takes(adminRead, string(ctx.Method())):
		s.respond.fail(ctx, problem.Of(problem.MethodNotAllowed))
		ctx.Response.Header.Set(httpfield.Allow, adminRead)
	default:
		answer(ctx)
	}
}

// browsed returns what answers a path; nil if nothing does.
func (s *Server) browsed(serving context.Context, path, query string) func(*fasthttp.RequestCtx) {
	switch path {
	case statuspage.Path:
		return func(ctx *fasthttp.RequestCtx) { s.sendAdmin(ctx, "text/html; charset=utf-8", s.adminPage().HTML()) }
	case statuspage.StylePath:
		return func(ctx *fasthttp.RequestCtx) { s.sendAdmin(ctx, "text/css; charset=utf-8", statuspage.Style) }
	case statuspage.ScriptPath:
		return func(ctx *fasthttp.RequestCtx) { s.sendAdmin(ctx, "text/javascript; charset=utf-8", statuspage.Script) }
	}
	return s.profile(serving, path, query)
}

// sendAdmin sends a body that no cache stores and no other site embeds.
func (s *Server) sendAdmin(ctx *fasthttp.RequestCtx, contentType string, body []byte) {
	h := &ctx.Response.Header
	s.fields.Set(h, release.ClassError, &ctx.Request.Header)
	h.SetContentType(contentType)
	h.Set(httpfield.ContentSecurityPolicy, statuspage.Policy)
	h.Set(httpfield.CrossOriginResourcePolicy, "same-origin")
	ctx.Response.SetBodyRaw(body)
}

func (s *Server) adminPage() *statuspage.Page {
	p := &statuspage.Page{
		Metrics: prometheus.Read(s.metricsText()), History: &s.history,
		Slow: s.slowSearches(), HidesSlow: s.cfg.SlowSearches == 0,
		Settings: s.cfg.Settings, Versions: s.cfg.Versions, Profiling: s.cfg.Profiling,
	}
	p.NotReady = s.notReady()
	if why := s.refusal.Load(); why != nil && !why.waiting {
		p.Refusal = &statuspage.Refusal{At: why.at, Reason: why.text, Problems: why.problems}
	}
	if s.cfg.Source != nil {
		p.Following, _ = json.Marshal(s.cfg.Source.State()) // the probe shows the same
	}
	if s.cfg.Cluster != nil {
		for _, n := range s.cfg.Cluster.Nodes.State().Nodes {
			p.Cluster = append(p.Cluster, statuspage.ClusterNode{Name: n.Name, Since: n.Since, Error: n.Error})
		}
	}
	p.Now = time.Now() // after all that the page dates
	return p
}

func (s *Server) slowSearches() []slowlog.Entry {
	served := s.current.Served.Load()
	if served == nil {
		return nil
	}
	return served.Slow.Entries()
}
