// Package damage notices damage to the snapshots of a release while it is served. They are mapped
// memory: a file may be cut or overwritten by mistake, and a disk may fail. The package finds damage in
// three ways. A slow pass over all bytes repeats without end (Run). CheckFiles looks at the sizes and
// times of some files at a time. A fast pass follows after a request that failed in a suspicious way (Suspect).
package damage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/release"
)

// Node is the server whose release is watched.
type Node interface {
	// Served returns the generation that is served, or nil.
	Served() *generation.Generation
	// Acquire is Served with a reference to the generation, which the caller releases.
	Acquire() *generation.Generation
	// Damaged is called when the file of a snapshot is damaged. The watch holds a reference to a generation of the
	// snapshot meanwhile, which may differ from the served one.
	Damaged(s *releasedir.Snapshot, file string, err error)
	// Whole is called after a pass that found no damage in any snapshot.
	Whole()
}

// Watch watches the snapshots of a node. Make it with New.
type Watch struct {
	node     Node
	period   time.Duration // the length of a slow pass; 0 means no slow passes
	requests chan struct{} // asks for a fast pass
	next     string        // of CheckFiles: the environment to begin with
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
	for i, s := range g.Dir.Snapshots {
		if addr != 0 && s.Reader.Contains(addr) {
			w.node.Damaged(s, g.Dir.Manifest.Environments[i].Snapshot.File, errUnmapped)
			return
		}
	}
	if suspicious {
		w.passNow()
	}
}

var errUnmapped = errors.New("a part can no longer be read: the file was cut, or the disk fails")

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

// FilesPerCheck is how many files CheckFiles looks at, so that a node with thousands of environments is idle when
// nothing happens: about 0.1 ms.
const FilesPerCheck = 64

// CheckFiles looks for snapshot files that were written to, among the next FilesPerCheck of the release. One goroutine
// at a time may call it. Replaced and removed files are not damage: the mapping keeps the old file.
func (w *Watch) CheckFiles() {
	g := w.node.Acquire()
	if g == nil {
		return
	}
	defer g.Release()
	envs := g.Dir.Manifest.Environments
	from, _ := find(envs, w.next)
	for n := range min(len(envs), FilesPerCheck) {
		i := (from + n) % len(envs)
		if !w.checkFile(g, i) {
			return
		}
		w.next = envs[(i+1)%len(envs)].ID
	}
}

// find returns the place of an environment, or the place of the next one.
func find(envs []release.Environment, id string) (i int, found bool) {
	return slices.BinarySearchFunc(envs, id, func(e release.Environment, id string) int { return cmp.Compare(e.ID, id) })
}

// checkFile looks at the file of an environment. It returns false if the file is damaged.
func (w *Watch) checkFile(g *generation.Generation, i int) bool {
	env, s := &g.Dir.Manifest.Environments[i], g.Dir.Snapshots[i]
	info, err := g.Dir.Stat(*env)
	if err != nil || !os.SameFile(info, s.File()) {
		return true
	}
	if info.Size() < env.Snapshot.Bytes {
		w.node.Damaged(s, env.Snapshot.File, fmt.Errorf("it was cut to %d bytes", info.Size()))
		return false
	}
	if !info.ModTime().Equal(s.File().ModTime()) {
		s.SetFile(info)
		w.passNow()
	}
	return true
}
