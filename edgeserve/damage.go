// This file withdraws a release whose snapshot is damaged, and opens it again. Until that verifies, the
// server is not ready and says why.

package edgeserve

import (
	"fmt"
	"time"

	"contentedge/edgeserve/serve/generation"
)

// watchedNode is a Server as package damage sees it.
type watchedNode struct{ server *Server }

// Served implements damage.Node.
func (n watchedNode) Served() *generation.Generation {
	if served := n.server.current.Served.Load(); served != nil {
		return served.Generation
	}
	return nil
}

// Acquire implements damage.Node.
func (n watchedNode) Acquire() *generation.Generation {
	if served := n.server.current.Acquire(); served != nil {
		return served.Generation
	}
	return nil
}

// Whole implements damage.Node.
func (n watchedNode) Whole() { n.server.telemetry.node.Scrubbed() }

// Damaged implements damage.Node. It withdraws a generation, if still served, and opens the release
// again.
func (n watchedNode) Damaged(g *generation.Generation, file string, err error) {
	s := n.server
	served := s.current.Served.Load()
	if served == nil || served.Generation != g || !s.current.Served.CompareAndSwap(served, nil) {
		return
	}
	served.Retire()
	text := fmt.Sprintf("%s: %v", file, err)
	s.refusal.Store(&refusal{at: time.Now(), text: text})
	s.telemetry.node.Damaged.Inc()
	s.log.Error("a snapshot was damaged while it was being served; the release is withdrawn and opened again", "build", g.Dir.Build(), "file", file, "error", err)
	s.joinReload()
}
