// This file counts what happens to a nodeapart from requests: connections, releases, damage.

package metrics

import (
	"sync/atomic"
	"time"

	"contentedge/edgeserve/prometheus"
)

// The results of an attempt at a release, for Node.Swaps.
const (
	Swapped = "ok"
	Refused = "failed"
)

// Node counts what happens to a node.
type Node struct {
	Connections  atomic.Int64       // open ones
	MaxConns     int                // limit of Connections
	TurnedAway   prometheus.Counter // connections above the limit
	IdleClosed   prometheus.Counter // idle connections closed for new ones, at the limit
	AcceptErrors prometheus.Counter
	// HandshakeErrors counts TLS handshakes that failed.
	HandshakeErrors prometheus.Counter
	Swaps           *prometheus.Counters // attempts at a release, by result
	Damaged         prometheus.Counter   // releases withdrawn for damage
	Panics          prometheus.Counter

	Scrubs     prometheus.Counter // passes over all snapshots that found them whole
	scrubbedAt atomic.Int64       // in milliseconds since 1970
}

// NewNode returns counters of a node, all zero.
func NewNode() *Node { return &Node{Swaps: prometheus.NewCounters("result", Swapped, Refused)} }

// Scrubbed counts a pass over all snapshots that found them whole.
func (n *Node) Scrubbed() {
	n.Scrubs.Inc()
	n.scrubbedAt.Store(time.Now().UnixMilli())
}

// WriteConnections writes the counters of connections.
func (n *Node) WriteConnections(t *prometheus.Text) {
	t.Family("contentedge_http_connections", "gauge", "Open connections.")
	t.Uint(uint64(n.Connections.Load()))
	t.Family("contentedge_http_connections_limit", "gauge", "Open connections that are admitted.")
	t.Uint(uint64(n.MaxConns))
	n.TurnedAway.Write(t, "contentedge_http_connections_refused_total", "Connections turned away because there were too many.")
	n.IdleClosed.Write(t, "contentedge_http_idle_connections_closed_total", "Connections closed for new ones, because there were too many and they had been idle the longest.")
	n.AcceptErrors.Write(t, "contentedge_http_accept_errors_total", "Failures to accept a connection. Consecutive failures count once.")
}

// WriteTLS writes how handshakes go, and when the certificate expires.
func (n *Node) WriteTLS(t *prometheus.Text, notAfter time.Time) {
	n.HandshakeErrors.Write(t, "contentedge_tls_handshake_errors_total", "TLS handshakes that failed.")
	t.Family("contentedge_tls_certificate_not_after_timestamp_seconds", "gauge", "Earliest expiry of a certificate in the chain, in seconds since 1970.")
	t.Float(float64(notAfter.Unix()))
}

// WriteSwaps writes the counters of attempts at a release.
func (n *Node) WriteSwaps(t *prometheus.Text) {
	n.Swaps.Write(t, "contentedge_release_swaps_total", "Releases loaded and swapped to (ok), and refused releases (failed). A refused release counts once, however often it was tried.")
}

// WriteTroubles writes the counters of damage and panics.
func (n *Node) WriteTroubles(t *prometheus.Text) {
	n.Damaged.Write(t, "contentedge_release_damaged_total", "Releases withdrawn because a snapshot was damaged while it was being served.")
	n.Scrubs.Write(t, "contentedge_snapshot_scrubs_total", "Passes over the snapshots being served that found them whole.")
	t.Family("contentedge_snapshot_scrub_timestamp_seconds", "gauge", "End of the last complete pass that found the snapshots intact, in seconds since 1970. 0 means that no pass has ended.")
	t.Float(float64(n.scrubbedAt.Load()) / 1000)
	n.Panics.Write(t, "contentedge_http_panics_total", "Requests whose handler panicked.")
}
