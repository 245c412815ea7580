// This file rereads snapshots and compares them with their checksums.

package damage

import (
	"context"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/generation"
)

const (
	passWait   = time.Second     // the longest wait before a pass checks whether another release is served
	wrongPause = 5 * time.Second // the wait after a wrong suspicion: clients may repeat a search that fails for another reason
)

// Run makes slow passes one after the other until ctx ends, and a fast pass on each suspicion.
func (w *Watch) Run(ctx context.Context) {
	var slow pass
	timer := time.NewTimer(passWait)
	defer timer.Stop()
	if w.period == 0 {
		timer.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.requests:
			w.passFast(ctx)
		case <-timer.C:
			timer.Reset(slow.advance(ctx, w))
		}
	}
}

func (w *Watch) passFast(ctx context.Context) {
	served := w.node.Served()
	for p := (pass{}); ctx.Err() == nil && p.step(w) && !p.ended; {
		admission.Yield()
	}
	if w.node.Served() != served {
		return
	}
	pause := time.NewTimer(wrongPause)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
}

// pass compares the release that is served with its checksums, from its first environment to its last, also while
// releases follow each other. It holds a reference to a generation only while it reads.
type pass struct {
	gen   *generation.Generation // nil before the first pass
	began time.Time
	env   int // the index of the environment that is being read
	// The snapshot that is being read, and how far.
	snapshot *releasedir.Snapshot
	file     *snapshot.Scrub

	done  int64 // bytes read so far
	total int64
	ended bool
}

// advance reads the pieces that are due. It returns how long to wait for the next piece.
func (p *pass) advance(ctx context.Context, w *Watch) time.Duration {
	for ctx.Err() == nil {
		if wait := p.due(w.period); wait > 0 && p.gen == w.node.Served() {
			return min(wait, passWait)
		}
		if !p.step(w) {
			break
		}
		admission.Yield()
	}
	return passWait
}

// due returns how long to wait before the next piece, so that the whole pass takes a period.
func (p *pass) due(period time.Duration) time.Duration {
	if p.gen == nil || p.ended {
		return 0
	}
	share := float64(min(p.done+snapshot.PieceLen, p.total)) / float64(p.total)
	return time.Until(p.began.Add(time.Duration(share * float64(period))))
}

// step begins a pass, or reads a piece. It returns false if there is nothing to read, or damage.
func (p *pass) step(w *Watch) bool {
	g := w.node.Acquire()
	if g == nil {
		*p = pass{}
		return false
	}
	defer g.Release()
	envs := g.Dir.Manifest.Environments
	if len(envs) == 0 {
		return false
	}
	switch {
	case p.gen == nil || p.ended:
		p.begin(g)
		return true
	case g != p.gen && !p.moveTo(g):
		return p.end(w)
	}
	n, err := p.file.Next()
	if err != nil {
		w.node.Damaged(p.snapshot, envs[p.env].Snapshot.File, err)
		return false
	}
	if p.done += int64(n); n > 0 {
		return true
	}
	if p.env++; p.env < len(envs) {
		p.read(g.Dir.Snapshots[p.env])
		return true
	}
	return p.end(w)
}

// end ends a pass without damage.
func (p *pass) end(w *Watch) bool {
	p.ended = true
	w.node.Whole()
	return true
}

func (p *pass) begin(g *generation.Generation) {
	*p = pass{began: time.Now()}
	p.count(g)
	p.read(g.Dir.Snapshots[0])
}

func (p *pass) read(s *releasedir.Snapshot) { p.snapshot, p.file = s, s.Reader.Scrub() }

// moveTo continues in another release, from the environment that is being read: earlier environments were read, or
// verified when the release was opened. If each release began a pass, none would end where releases are frequent. It
// returns false if no environment is left.
func (p *pass) moveTo(g *generation.Generation) bool {
	p.env, _ = find(g.Dir.Manifest.Environments, p.gen.Dir.Manifest.Environments[p.env].ID)
	p.count(g)
	if p.env == len(g.Dir.Snapshots) {
		return false
	}
	if s := g.Dir.Snapshots[p.env]; s != p.snapshot {
		p.read(s)
	}
	return true
}

// count notes a release, and how many bytes it has in all and before the current environment.
func (p *pass) count(g *generation.Generation) {
	p.gen, p.done, p.total = g, 0, 0
	for i := range g.Dir.Manifest.Environments {
		if i == p.env {
			p.done = p.total
		}
		p.total += g.Dir.Manifest.Environments[i].Snapshot.Bytes
	}
}
