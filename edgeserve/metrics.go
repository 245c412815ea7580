// This file writes the server's metrics: names, units and meanings.

package edgeserve

import (
	"time"

	"contentedge/edgeserve/serve/metrics"
)

func (s *Server) metricsText() []byte {
	var t metrics.Text
	s.telemetry.requests.Write(&t)
	s.writeConnections(&t)
	s.writeSearches(&t)
	s.writeRelease(&t)
	s.writeTroubles(&t)
	if s.cfg.Source != nil {
		s.cfg.Source.WriteMetrics(&t)
	}
	metrics.WriteProcess(&t)
	return t.Bytes()
}

func (s *Server) writeConnections(t *metrics.Text) {
	t.Family("contentedge_http_connections", "gauge", "Open connections.")
	t.Uint(uint64(s.telemetry.connections.Load()))
	s.telemetry.turnedAway.Write(t, "contentedge_http_connections_refused_total", "Connections turned away because there were too many.")
	s.telemetry.acceptErrors.Write(t, "contentedge_http_accept_errors_total", "Failures to accept a connection, each row of them once.")
}

func (s *Server) writeSearches(t *metrics.Text) {
	s.telemetry.delivery.Searches.Write(t, "contentedge_searches_total", "Searches evaluated, not answered from memory, by the query at the top; a list without a file is one too.")
	s.telemetry.delivery.Rejected.Write(t, "contentedge_search_rejections_total", "Searches refused, by the error's code.")
	t.Family("contentedge_searches_running", "gauge", "Searches being read or evaluated.")
	t.Uint(uint64(s.resources.Searches.Running()))
	t.Family("contentedge_searches_waiting", "gauge", "Searches waiting for their turn.")
	t.Uint(uint64(s.resources.Searches.Waiting()))
}

func (s *Server) writeRelease(t *metrics.Text) {
	s.telemetry.swaps.Write(t, "contentedge_release_swaps_total", "Releases loaded and swapped to (ok), and releases refused (failed), each of these once however often it was tried.")
	g := s.current.Acquire()
	if g == nil {
		return
	}
	defer g.Generation.Release()
	t.Family("contentedge_release_info", "gauge", "The release that is served.")
	t.Uint(1, "build", g.Generation.Build())
	t.Family("contentedge_release_age_seconds", "gauge", "Time since the manifest of the release that is served was written.")
	t.Float(time.Since(g.Generation.Fingerprint.Info.ModTime()).Seconds())
	t.Family("contentedge_release_swap_timestamp_seconds", "gauge", "Time of the last swap, in seconds since 1970.")
	t.Float(float64(s.swappedAt.Load()) / 1000)
	t.Family("contentedge_release_items", "gauge", "Items of the release that is served, by environment.")
	for _, env := range g.Generation.Manifest.Environments {
		t.Uint(uint64(env.Items), "environment", env.ID)
	}
}

func (s *Server) writeTroubles(t *metrics.Text) {
	s.telemetry.delivery.Missing.Write(t, "contentedge_release_missing_files_total", "Files of the release that were missing when they were first asked for; its snapshot answers.")
	s.telemetry.delivery.Unreadable.Write(t, "contentedge_release_unreadable_files_total", "Times that a file of the release was there and could not be read.")
	s.telemetry.damaged.Write(t, "contentedge_release_damaged_total", "Releases withdrawn because a snapshot was damaged while it was being served.")
	s.telemetry.scrubs.Write(t, "contentedge_snapshot_scrubs_total", "Passes over the snapshots being served that found them whole.")
	t.Family("contentedge_snapshot_scrub_timestamp_seconds", "gauge", "End of the last pass over the snapshots that found them whole, in seconds since 1970; 0: none has ended.")
	t.Float(float64(s.telemetry.scrubbedAt.Load()) / 1000)
	s.telemetry.panics.Write(t, "contentedge_http_panics_total", "Requests whose handler panicked.")
	s.telemetry.suppressed.Write(t, "contentedge_log_lines_suppressed_total", "Warnings and errors not logged because the same was logged too often.")
	if s.cfg.AccessLog != nil {
		t.Family("contentedge_access_log_lines_dropped_total", "counter", "Lines of the access log dropped because its reader was too slow or gone.")
		t.Uint(s.cfg.AccessLog.Dropped())
	}
}
