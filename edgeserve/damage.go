// This file withdraws a release whose snapshot is damaged, and opens it again. Until that verifies, the
// server is not ready and says why.

package edgeserve

import (
	"fmt"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/generation"
)

// watchedNode is a Server as package damage sees it.
type watchedNode struct{ server *Server }

// Served implements damage.Node. It returns nil for a release without open snapshots.
func (n watchedNode) Served() *generation.Generation {
	if served := n.server.current.Served.Load(); served != nil && !served.Generation.Dir.FieldsOnly {
		return served.Generation
	}
	return nil
}

// Acquire implements damage.Node.
func (n watchedNode) Acquire() *generation.Generation {
	served := n.server.current.Acquire()
	if served == nil {
		return nil
	}
	if served.Generation.Dir.FieldsOnly {
		served.Generation.Release()
		return nil
	}
	return served.Generation
}

// Whole implements damage.Node.
func (n watchedNode) Whole() { n.server.telemetry.node.Scrubbed() }

// Damaged implements damage.Node. It withdraws the release that is served if that has the snapshot, and opens it
// again.
func (n watchedNode) Damaged(snapshot *releasedir.Snapshot, file string, err error) {
	s := n.server
	served := s.current.Withdraw(snapshot)
	if served == nil {
		return
	}
	build := served.Generation.Dir.Build()
	text := fmt.Sprintf("%s: %v", file, err)
	s.refusal.Store(&refusal{at: time.Now(), text: text})
	s.telemetry.node.Damaged.Inc()
	s.log.Error("a snapshot was damaged while it was being served; the release is withdrawn and opened again", "build", build, "file", file, "error", err)
	s.joinReload()
}
