// Package damage notices damage to the snapshots of a release while it is served. They are mapped
// memory: a file may be cut or overwritten by mistake, and a disk may fail. The package finds damage in
// three ways. A slow pass over all bytes repeats without end (Run). CheckFiles looks at the sizes and
// times of the files. A fast pass follows after a request that failed in a suspicious way (Suspect).
package damage

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/generation"
)

// Node is the server whose release is watched.
type Node interface {
	// Served returns the generation that is served, or nil.
	Served() *generation.Generation
	// Acquire is Served with a reference to the generation, which the caller releases.
	Acquire() *generation.Generation
	// Damaged is called when a file of a generation is damaged. The watch holds a reference to g meanwhile.
	Damaged(g *generation.Generation, file string, err error)
	// Whole is called after a pass that found no damage in any snapshot.
	Whole()
}

// Watch watches the snapshots of a node. Make it with New.
type Watch struct {
	node     Node
	period   time.Duration // the length of a slow pass; 0: there are no slow passes
	requests chan struct{} // asks for a fast pass
}

// New returns a watch that makes a slow pass in each period. If period is 0, it makes only fast passes, on suspicion.
func New(node Node, period time.Duration) *Watch {
	return &Watch{node: node, period: period, requests: make(chan struct{}, 1)}
}

// Suspect looks for damage as the cause of a failed request. A fault at an address in a mapping is damage.
// After other failures that damage may cause, a fast pass over the snapshots decides.
func (w *Watch) Suspect(cause any) {
	g := w.node.Acquire()
	if g == nil {
		return
	}
	defer g.Release()
	addr, suspicious := faultOf(cause)
	for _, env := range g.Dir.Manifest.Environments {
		if r := g.Dir.Readers[env.ID]; addr != 0 && r != nil && r.Contains(addr) {
			w.node.Damaged(g, env.Snapshot.File, errUnmapped)
			return
		}
	}
	if suspicious {
		w.passNow()
	}
}

var errUnmapped = errors.New("part of it cannot be read any more: it was cut, or the disk fails")

// faultOf reports whether damage to a snapshot may have caused a failure. addr is the address of a fault, or 0.
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

func (w *Watch) passNow() {
	select {
	case w.requests <- struct{}{}:
	default: // another request has asked for a pass
	}
}

// CheckFiles looks for snapshot files that were written to. One goroutine at a time may call it. Replaced
// and removed files are no damage: the mapping keeps the old file.
func (w *Watch) CheckFiles() {
	g := w.node.Acquire()
	if g == nil {
		return
	}
	defer g.Release()
	for i, env := range g.Dir.Manifest.Environments {
		info, err := g.Dir.Stat(env)
		if err != nil || !os.SameFile(info, g.Dir.Stats[i]) {
			continue
		}
		if info.Size() < env.Snapshot.Bytes {
			w.node.Damaged(g, env.Snapshot.File, fmt.Errorf("it was cut to %d bytes", info.Size()))
			return
		}
		if !info.ModTime().Equal(g.Dir.Stats[i].ModTime()) {
			g.Dir.Stats[i] = info
			w.passNow()
		}
	}
}
