// This file puts the server's metrics together, in the order in which operators read them.

package edgeserve

import (
	"bytes"
	"runtime"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

func (s *Server) metricsText() []byte {
	var t prometheus.Text
	s.telemetry.requests.Write(&t)
	s.telemetry.node.WriteConnections(&t)
	if s.tls != nil {
		s.telemetry.node.WriteTLS(&t, s.tls.NotAfter())
	}
	s.resources.WriteSearches(&t)
	s.observer.clients.limits.Write(&t)
	s.resources.WriteCache(&t)
	s.writeMemory(&t)
	s.telemetry.node.WriteSwaps(&t)
	s.writeRelease(&t)
	s.resources.WriteFiles(&t)
	s.telemetry.node.WriteTroubles(&t)
	t.Family("contentedge_release_refused", "gauge", "1 while the newest release on this machine is refused.")
	why := s.refusal.Load()
	t.Bool(why != nil && !why.waiting)
	t.Family("contentedge_log_lines_suppressed_total", "counter", "Warnings and errors not logged because the same was logged too often.")
	t.Uint(logs.Suppressed(s.log))
	if s.cfg.AccessLog != nil {
		t.Family("contentedge_access_log_lines_dropped_total", "counter", "Lines of the access log dropped because its reader was too slow or gone.")
		t.Uint(s.cfg.AccessLog.Dropped())
	}
	if s.cfg.Cluster != nil {
		s.cfg.Cluster.WriteMetrics(&t)
	}
	if s.cfg.Source != nil {
		s.cfg.Source.WriteMetrics(&t)
	}
	t.Family("contentedge_build_info", "gauge", "The program: its version and the commit that it was built from.")
	t.Uint(1, "version", s.cfg.Version, "commit", s.cfg.Commit, "goversion", runtime.Version())
	prometheus.WriteProcess(&t)
	return t.Bytes()
}

// sendMetrics answers a scraper.
func (s *Server) sendMetrics(ctx *fasthttp.RequestCtx) {
	h, codings := &ctx.Response.Header, acceptEncoding(ctx)
	accept := bytes.Join(ctx.Request.Header.PeekAll(httpfield.Accept), []byte(","))
	e := prometheus.Negotiate(s.metricsText(), string(accept), &codings)
	s.fields.Set(h, release.ClassError, &ctx.Request.Header)
	h.Add(httpfield.Vary, httpfield.Accept)
	h.SetContentType(e.ContentType)
	if e.Coding != contentcoding.Identity {
		h.Set(httpfield.ContentEncoding, e.Coding.String())
	}
	ctx.Response.SetBodyRaw(e.Body)
}

// writeMemory writes how much of each memory budget is in use.
func (s *Server) writeMemory(t *prometheus.Text) {
	cached := int64(0)
	if served := s.current.Served.Load(); served != nil {
		cached = served.Cache.Size()
	}
	requests := s.fast.requests
	uses := append([]delivery.Use{
		{Budget: "cache", Used: cached, Total: s.cfg.CacheBytes},
		{Budget: "requests", Used: requests.Total() - requests.Left(), Total: requests.Total()},
	}, s.resources.Uses()...)
	t.Family("contentedge_memory_used_bytes", "gauge", "Memory in use, by budget.")
	for _, u := range uses {
		t.Uint(uint64(max(u.Used, 0)), "budget", u.Budget)
	}
	t.Family("contentedge_memory_budget_bytes", "gauge", "Memory that may be used, by budget.")
	for _, u := range uses {
		t.Uint(uint64(u.Total), "budget", u.Budget)
	}
}

// nextChange is the end of a release's interval of visibility, in seconds since 1970; 0 if it has none.
func nextChange(m *release.Manifest) float64 {
	_, until := m.Visible.Ends()
	if until == nil {
		return 0
	}
	return float64(*until) / 1000
}

func (s *Server) writeRelease(t *prometheus.Text) {
	served := s.current.Acquire()
	if served == nil {
		return
	}
	g := served.Generation
	defer g.Release()
	t.Family("contentedge_release_info", "gauge", "The release that is served.")
	t.Uint(1, "build", g.Dir.Build())
	t.Family("contentedge_release_age_seconds", "gauge", "Time since the manifest of the release that is served was written.")
	t.Float(max(time.Since(g.Dir.Fingerprint.Info.ModTime()).Seconds(), 0)) // the clock may have been set back
	t.Family("contentedge_release_swap_timestamp_seconds", "gauge", "Time of the last swap, in seconds since 1970.")
	t.Float(float64(s.swappedAt.Load()) / 1000)
	t.Family("contentedge_release_next_change_timestamp_seconds", "gauge", "When items of the content appear or expire, so that a newer release is due, in seconds since 1970. 0 means never.")
	t.Float(nextChange(g.Dir.Manifest))
	t.Family("contentedge_release_items", "gauge", "Items of the release that is served, by environment.")
	for _, env := range g.Dir.Manifest.Environments {
		t.Uint(uint64(env.Items), "environment", env.ID)
	}
}
