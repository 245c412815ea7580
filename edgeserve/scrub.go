// This file rereads snapshots being served, as a disk or somebody's mistake may change them.

package edgeserve

import (
	"context"
	"time"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/delivery"
)

const (
	scrubWait  = time.Second     // the longest wait of a pass before it looks for another release
	scrubPause = 5 * time.Second // after a wrong suspicion: clients may know a search that fails for another reason
)

// scrub makes slow passes one after the other until ctx ends, and a fast one on a suspicion.
func (s *Server) scrub(ctx context.Context) {
	var slow pass
	timer := time.NewTimer(scrubWait)
	defer timer.Stop()
	if s.cfg.Scrub == 0 {
		timer.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.scrubRequests:
			s.scrubFast(ctx)
		case <-timer.C:
			timer.Reset(slow.advance(ctx, s))
		}
	}
}

func (s *Server) scrubFast(ctx context.Context) {
	served := s.current.Served.Load()
	for p := (pass{}); ctx.Err() == nil && p.step(s) && !p.ended; {
		admission.Yield()
	}
	if s.current.Served.Load() != served {
		return
	}
	pause := time.NewTimer(scrubPause)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
}

// pass compares a generation with its checksums. It holds a reference only while it reads.
type pass struct {
	gen   *delivery.Served // nil: none yet
	began time.Time
	env   int // number of the environment that is being read
	file  *snapshot.Scrub
	done  int64 // bytes
	total int64
	ended bool
}

// advance reads what is due and returns how long to wait for more.
func (p *pass) advance(ctx context.Context, s *Server) time.Duration {
	for ctx.Err() == nil {
		if wait := p.due(s.cfg.Scrub); wait > 0 && p.gen == s.current.Served.Load() {
			return min(wait, scrubWait)
		}
		if !p.step(s) {
			break
		}
		admission.Yield()
	}
	return scrubWait
}

// due is how long to wait before the next piece, for the whole pass to take a period.
func (p *pass) due(period time.Duration) time.Duration {
	if p.gen == nil || p.ended {
		return 0
	}
	share := float64(min(p.done+snapshot.PieceLen, p.total)) / float64(p.total)
	return time.Until(p.began.Add(time.Duration(share * float64(period))))
}

// step reads a piece, or begins. False: there is nothing to read, or damage.
func (p *pass) step(s *Server) bool {
	g := s.current.Acquire()
	if g == nil {
		*p = pass{}
		return false
	}
	defer g.Generation.Release()
	envs := g.Generation.Manifest.Environments
	if len(envs) == 0 {
		return false
	}
	if g != p.gen || p.ended {
		p.begin(g)
		return true
	}
	n, err := p.file.Next()
	if err != nil {
		s.damaged(g, envs[p.env].Snapshot.File, err)
		return false
	}
	if p.done += int64(n); n > 0 {
		return true
	}
	if p.env++; p.env < len(envs) {
		p.file = g.Generation.Readers[envs[p.env].ID].Scrub()
		return true
	}
	p.ended = true
	s.telemetry.scrubs.Inc()
	s.telemetry.scrubbedAt.Store(time.Now().UnixMilli())
	return true
}

func (p *pass) begin(g *delivery.Served) {
	*p = pass{gen: g, began: time.Now(), file: g.Generation.Readers[g.Generation.Manifest.Environments[0].ID].Scrub()}
	for _, env := range g.Generation.Manifest.Environments {
		p.total += env.Snapshot.Bytes
	}
}
