// This file loads new releases. It polls: that costs nothing and works on every file system.

package edgeserve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/serve/metrics"
)

const retryMax = time.Minute // between attempts at a release: missing files may arrive, but verifying costs

// attempt remembers the last check: a release is opened once, and a broken one reported once.
type attempt struct {
	mark  releasedir.Fingerprint
	err   string
	pause time.Duration
	next  time.Time // not before, while mark stays the same
}

// refusal is why no newer release than the served one was loaded.
type refusal struct {
	at       time.Time
	text     string
	problems []string
	waiting  bool // nothing was refused: the first release has yet to arrive
}

// errDamagedMeanwhile refuses a release that shares a snapshot with the previous release.
var errDamagedMeanwhile = errors.New("a snapshot that it shares with the previous release was damaged meanwhile")

// Swap serves a generation , or nothing if it is nil, and takes over its reference. It retires the previous one. It
// refuses a generation with a snapshot that was found damaged since it was opened.
func (s *Server) Swap(g *generation.Generation) error {
	var next *delivery.Served
	if g != nil {
		next = delivery.NewServed(g, s.cfg.CacheBytes, s.fields, s.resources)
		defer s.life.endWait()
	}
	if !s.current.Swap(next) {
		return errDamagedMeanwhile
	}
	if g != nil {
		s.swappedAt.Store(time.Now().UnixMilli())
	}
	if s.life.ready.Load() && !s.life.leaving.Load() {
		s.tellManager(s.cfg.Manager.Status(s.status()))
	}
	return nil
}

// reload is an attempt that has not begun. Calls of Reload share it.
type reload struct {
	done chan struct{} // closed once err is set
	err  error
}

// Reload opens and verifies the release in the public directory, and swaps to it. If that fails, the old one stays.
// Calls during a verification share the next attempt. If ctx ends first, its error is returned and the attempt
// continues.
func (s *Server) Reload(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := s.joinReload()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errStopped = errors.New("the server has stopped")

var stoppedReload = func() *reload {
	r := &reload{done: make(chan struct{}), err: errStopped}
	close(r.done)
	return r
}()

// endReloads waits for the attempts under way and prevents others.
func (s *Server) endReloads() {
	s.joining.Lock()
	s.stopped = true
	s.joining.Unlock()
	s.endLoads()
	s.reloads.Wait()
}

// joinReload returns the attempt that waits to begin, if necessary a new one.
func (s *Server) joinReload() *reload {
	s.joining.Lock()
	defer s.joining.Unlock()
	if s.stopped {
		return stoppedReload
	}
	if s.waiting == nil {
		s.waiting = &reload{done: make(chan struct{})}
		s.reloads.Add(1)
		go s.runReload(s.waiting)
	}
	return s.waiting
}

func (s *Server) runReload(r *reload) {
	defer crash.Exit()
	defer s.reloads.Done()
	defer close(r.done)
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.joining.Lock()
	s.waiting = nil
	s.joining.Unlock()
	if s.tls != nil {
		s.tls.Check(time.Now())
	}
	m, err := releasedir.Find(s.cfg.Public)
	if err == nil {
		err = s.load(s.loads, generation.Open)
	}
	s.note(m, err, time.Now(), true)
	r.err = err
}

func (s *Server) reloadIfNew(ctx context.Context, now time.Time) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	m, err := releasedir.Find(s.cfg.Public)
	if err == nil {
		known := m.Same(s.last.mark)
		if known && (s.last.err == "" || now.Before(s.last.next)) {
			return
		}
		err = s.load(ctx, generation.Open)
	}
	if ctx.Err() == nil {
		s.note(m, err, now, false)
	}
}

// opener opens a release while the served one, which may be nil, stays open.
type opener func(dir string, before *generation.Generation) (*generation.Generation, error)

// open opens the release in a directory. It shares what did not change with the release that is served. With a cluster,
// snapshots are not used.
func (s *Server) open(dir string, open opener) (*generation.Generation, error) {
	if s.cfg.Cluster != nil {
		open = generation.OpenFields
	}
	served := s.current.Acquire()
	if served == nil {
		return open(dir, nil)
	}
	defer served.Generation.Release()
	return open(dir, served.Generation)
}

// Check opens and verifies the release in a directory as a reload does, and closes it.
func (s *Server) Check(dir string) error {
	g, err := s.open(dir, generation.Open)
	if err == nil {
		g.Release()
	}
	return err
}

// SwapTo serves the release in a directory, which the caller has just written: it compares no digests.
func (s *Server) SwapTo(dir string) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	g, err := s.open(dir, generation.OpenUnverified)
	if err != nil {
		return err
	}
	return s.Swap(g)
}

// load opens a release and swaps to it. The context limits questions to other machines. s.reloading is held.
func (s *Server) load(ctx context.Context, open opener) error {
	start := time.Now()
	g, err := s.open(s.cfg.Public, open)
	if err != nil {
		return err
	}
	if s.cfg.Trusted != nil {
		if err := s.cfg.Trusted(g.Dir.ManifestSHA256); err != nil {
			g.Release()
			return err
		}
	}
	if s.cfg.Cluster != nil {
		if g.Content, err = s.cfg.Cluster.Open(ctx, &g.Dir); err != nil {
			g.Release()
			return fmt.Errorf("release %s at the cluster: %w", g.Dir.Build(), err)
		}
	}
	build, environments, files := g.Dir.Build(), len(g.Dir.Readers), !g.Dir.SnapshotOnly
	if err := s.Swap(g); err != nil {
		return err
	}
	s.log.Info("serving release", "build", build, "environments", environments, "files", files, "took", time.Since(start).Round(time.Millisecond).String())
	return nil
}

// note records an attempt. A repeated failure of a release is not counted again, and logged only if
// asked for. s.reloading is held.
func (s *Server) note(m releasedir.Fingerprint, err error, now time.Time, asked bool) {
	if err == nil {
		s.last = attempt{mark: m}
		s.refusal.Store(nil)
		s.telemetry.node.Swaps.Inc(metrics.Swapped)
		return
	}
	text := err.Error()
	// Before a source brings the first release, none is refused.
	first := s.cfg.Source != nil && s.current.Served.Load() == nil && errors.Is(err, fs.ErrNotExist) && m.Info == nil
	if first {
		text = "no release has arrived yet"
	}
	s.refusal.Store(&refusal{at: now, text: text, problems: releasedir.Problems(err), waiting: first})
	pause := s.cfg.PollInterval
	repeated := m.Same(s.last.mark) && s.last.err == text
	if !repeated && !first {
		s.telemetry.node.Swaps.Inc(metrics.Refused)
	}
	switch {
	case first && (!repeated || asked):
		s.log.Info("waiting for the first release", "public", s.cfg.Public)
	case first: // logged already; the next poll checks again
	case !repeated || asked:
		s.log.Error("release refused", "error", err, "serving", s.servedBuild())
	default:
		pause = min(2*s.last.pause, retryMax)
	}
	s.last = attempt{mark: m, err: text, pause: pause, next: now.Add(pause)}
}

const noBuild = "none" // the build of a server without a release

func (s *Server) servedBuild() string {
	g := s.current.Acquire()
	if g == nil {
		return noBuild
	}
	defer g.Generation.Release()
	return g.Generation.Dir.Build()
}

// start loads the first release. It serves the release before the slow check of its digests, as it is the only one, and
// withdraws a release that fails the check.
func (s *Server) start(ctx context.Context) {
	g := s.loadUnverified(ctx)
	if s.cfg.Source == nil {
		s.life.endWait() // nothing brings another release soon
	}
	if g == nil {
		return
	}
	defer g.Generation.Release()
	if err := g.Generation.VerifyDigests(ctx); err != nil && ctx.Err() == nil {
		s.withdraw(g, err)
	}
}

// loadUnverified loads the first release, up to its first response. It returns a reference to the served generation:
// nil without one, or if another attempt was faster.
func (s *Server) loadUnverified(ctx context.Context) *delivery.Served {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if s.current.Served.Load() != nil {
		return nil
	}
	m, err := releasedir.Find(s.cfg.Public)
	if err == nil {
		err = s.load(ctx, generation.OpenUnverified)
	}
	if ctx.Err() == nil {
		s.note(m, err, time.Now(), false)
	}
	return s.current.Acquire()
}

func (s *Server) withdraw(g *delivery.Served, err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if s.current.Served.Load() == g {
		_ = s.Swap(nil)
		s.note(g.Generation.Dir.Fingerprint, err, time.Now(), false)
	}
}

func (s *Server) poll(ctx context.Context) {
	s.start(ctx)
	if s.cfg.PollInterval == 0 {
		return
	}
	ticker := time.NewTicker(s.cfg.PollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s.reloadIfNew(ctx, now)
			s.damage.CheckFiles()
		}
	}
}
