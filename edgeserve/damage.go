// This file notices damage to a snapshot being served. It withdraws the release and opens it again;
// until that verifies, the server is not ready and says why.

package edgeserve

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/delivery"
)

// damaged withdraws a generation that the caller holds, if still served, and reopens the release.
func (s *Server) damaged(g *delivery.Served, file string, err error) {
	if !s.current.Served.CompareAndSwap(g, nil) {
		return
	}
	g.Retire()
	text := fmt.Sprintf("%s: %v", file, err)
	s.refusal.Store(&text)
	s.telemetry.damaged.Inc()
	s.log.Error("a snapshot was damaged while it was being served; the release is withdrawn and opened again", "build", g.Generation.Build(), "file", file, "error", err)
	s.joinReload()
}

// findDamage looks for the cause of a failed request. A fault in a mapping is damage; for other
// causes a pass over the snapshots decides.
func (s *Server) findDamage(cause any) {
	g := s.current.Acquire()
	if g == nil {
		return
	}
	defer g.Generation.Release()
	addr, suspicious := faultOf(cause)
	for _, env := range g.Generation.Manifest.Environments {
		if r := g.Generation.Readers[env.ID]; addr != 0 && r != nil && r.Contains(addr) {
			s.damaged(g, env.Snapshot.File, errUnmapped)
			return
		}
	}
	if suspicious {
		s.scrubNow()
	}
}

var errUnmapped = errors.New("part of it cannot be read any more: it was cut, or the disk fails")

// faultOf reports whether a snapshot may have caused a failure; addr is that of the fault, or 0.
func faultOf(cause any) (addr uintptr, suspicious bool) {
	if fault, ok := cause.(interface{ Addr() uintptr }); ok {
		return fault.Addr(), true
	}
	if _, ok := cause.(runtime.Error); ok {
		return 0, true
	}
	err, ok := cause.(error)
	if !ok {
		return 0, false
	}
	if fault, ok := errors.AsType[*snapshot.FaultError](err); ok {
		return fault.Addr, true
	}
	_, ok = errors.AsType[*snapshot.CorruptError](err)
	return 0, ok
}

func (s *Server) scrubNow() {
	select {
	case s.scrubRequests <- struct{}{}:
	default: // one is about to
	}
}

// watchFiles checks whether snapshot files were written to. Only the poll calls it. Replaced or
// removed files do not matter: the mapping keeps the old one.
func (s *Server) watchFiles() {
	g := s.current.Acquire()
	if g == nil {
		return
	}
	defer g.Generation.Release()
	for i, env := range g.Generation.Manifest.Environments {
		info, err := g.Generation.Stat(env)
		if err != nil || !os.SameFile(info, g.Generation.Stats[i]) {
			continue
		}
		if info.Size() < env.Snapshot.Bytes {
			s.damaged(g, env.Snapshot.File, fmt.Errorf("it was cut to %d bytes", info.Size()))
			return
		}
		if !info.ModTime().Equal(g.Generation.Stats[i].ModTime()) {
			g.Generation.Stats[i] = info
			s.scrubNow()
		}
	}
}
