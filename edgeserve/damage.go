// This file notices when a snapshot is damaged while it is being served: its file was cut or
// overwritten in place, or the disk lost some of it. Releases are never changed in place, so
// this is somebody's mistake or a failing machine; responses would be wrong or panics.
//
// A release with a damaged snapshot is withdrawn at once, and opened again from the disk:
// what verifies is served. Until then the server has no release, is not ready and says why.

package edgeserve

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"contentedge/edgeserve/snapshot"
)

// damaged withdraws a generation of which the caller has a reference, and has it opened
// again. It does nothing if that has been done or another one is being served.
func (s *Server) damaged(g *Generation, file string, err error) {
	if !s.current.CompareAndSwap(g, nil) {
		return
	}
	g.files.end()
	g.Release()
	text := fmt.Sprintf("%s: %v", file, err)
	s.refusal.Store(&text)
	s.telemetry.damaged.Inc()
	s.log.Error("a snapshot was damaged while it was being served; the release is withdrawn and opened again", "build", g.Build(), "file", file, "error", err)
	s.joinReload()
}

// suspect looks into what a request ended in. A fault in a mapping is damage; any other
// cause may be, which a pass over the snapshots tells.
func (s *Server) suspect(cause any) {
	g := s.acquire()
	if g == nil {
		return
	}
	defer g.Release()
	addr, suspicious := blame(cause)
	for _, env := range g.manifest.Environments {
		if r := g.readers[env.ID]; addr != 0 && r != nil && r.Holds(addr) {
			s.damaged(g, env.Snapshot.File, errLost)
			return
		}
	}
	if suspicious {
		s.scrubNow()
	}
}

// errLost is why reading a mapping fails.
var errLost = errors.New("part of it cannot be read any more: it was cut, or the disk fails")

// blame reads from what a request ended in whether a snapshot may be to blame, and the address
// of a fault, 0 if it was none.
func blame(cause any) (addr uintptr, suspicious bool) {
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

// scrubNow has a pass begin that does not take its time.
func (s *Server) scrubNow() {
	select {
	case s.suspicion <- struct{}{}:
	default: // one is about to
	}
}

// watchFiles looks whether a snapshot's file has been written to since it was opened. The
// poll calls it, and nobody else. A file that was replaced or removed does not matter: the
// mapping is of the one that was opened.
func (s *Server) watchFiles() {
	g := s.acquire()
	if g == nil {
		return
	}
	defer g.Release()
	for i, env := range g.manifest.Environments {
		info, err := g.stat(env)
		if err != nil || !os.SameFile(info, g.stats[i]) {
			continue
		}
		if info.Size() < env.Snapshot.Bytes {
			s.damaged(g, env.Snapshot.File, fmt.Errorf("it was cut to %d bytes", info.Size()))
			return
		}
		if !info.ModTime().Equal(g.stats[i].ModTime()) {
			g.stats[i] = info
			s.scrubNow()
		}
	}
}
