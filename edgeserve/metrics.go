// This file puts the server's metrics together, in the order in which operators read them.

package edgeserve

import (
	"time"

	"contentedge/edgeserve/prometheus"
)

func (s *Server) metricsText() []byte {
	var t prometheus.Text
	s.telemetry.requests.Write(&t)
	s.telemetry.node.WriteConnections(&t)
	s.resources.WriteSearches(&t)
	s.telemetry.node.WriteSwaps(&t)
	s.writeRelease(&t)
	s.resources.WriteFiles(&t)
	s.telemetry.node.WriteTroubles(&t)
	if s.cfg.AccessLog != nil {
		t.Family("contentedge_access_log_lines_dropped_total", "counter", "Lines of the access log dropped because its reader was too slow or gone.")
		t.Uint(s.cfg.AccessLog.Dropped())
	}
	if s.cfg.Source != nil {
		s.cfg.Source.WriteMetrics(&t)
	}
	prometheus.WriteProcess(&t)
	return t.Bytes()
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
	t.Float(time.Since(g.Dir.Fingerprint.Info.ModTime()).Seconds())
	t.Family("contentedge_release_swap_timestamp_seconds", "gauge", "Time of the last swap, in seconds since 1970.")
	t.Float(float64(s.swappedAt.Load()) / 1000)
	t.Family("contentedge_release_items", "gauge", "Items of the release that is served, by environment.")
	for _, env := range g.Dir.Manifest.Environments {
		t.Uint(uint64(env.Items), "environment", env.ID)
	}
}
