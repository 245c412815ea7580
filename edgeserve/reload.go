// This file brings new releases in. It polls instead of watching: one readlink and one
// stat a second cost nothing, need no limits of the kernel's and work on every file
// system.

package edgeserve

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"contentedge/edgeserve/release"
)

// retryMax is the longest pause between two attempts at a release that did not open.
// What it lacks may still arrive, but verifying a large snapshot is not free.
const retryMax = time.Minute

// attempt remembers the last look at the public directory, so that a release is
// opened once, and one that cannot be opened is reported once.
type attempt struct {
	mark  mark
	err   string
	pause time.Duration
	next  time.Time // not before, while mark stays the same
}

// Swap publishes a generation and drops the one before it; nil leaves the server
// without one. The server owns the caller's reference from now on.
func (s *Server) Swap(g *Generation) {
	if g != nil {
		s.prepare(g)
		s.swappedAt.Store(time.Now().UnixMilli())
	}
	if old := s.current.Swap(g); old != nil {
		old.files.end()
		old.Release()
	}
}

// prepare gives a generation what it needs to prepare answers.
func (s *Server) prepare(g *Generation) {
	g.files, g.memory = newCache(s.cfg.CacheBytes), &s.memory
	build, ranges := newField(release.Header, g.Build()), newField("Accept-Ranges", "bytes")
	for class, shared := range s.headers.classes {
		g.fields[class] = append([]field{build}, shared...)
		if release.Class(class) != release.ClassSearch { // they answer a POST, which has no ranges
			g.fields[class] = append(g.fields[class], ranges)
		}
	}
}

// acquire takes a reference to the generation being served, nil if there is none.
func (s *Server) acquire() *Generation {
	for {
		g := s.current.Load()
		if g == nil || g.Acquire() {
			return g
		}
	}
}

// reload is an attempt at a release that has not begun: all who ask for one meanwhile
// share it.
type reload struct {
	done chan struct{} // closed once err is set
	err  error
}

// Reload opens the release in the public directory, verifies it and swaps to it. When
// that fails the old one stays. Calls while another one's release is being verified
// share the next attempt, so that a storm of them costs two. The error is ctx's if that
// ends first; the attempt goes on.
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

// errStopped answers those who want a release loaded into a server that has ended.
var errStopped = errors.New("the server has stopped")

// stoppedReload is the attempt of a server that has ended.
var stoppedReload = func() *reload {
	r := &reload{done: make(chan struct{}), err: errStopped}
	close(r.done)
	return r
}()

// endReloads lets the attempts under way end and no further one begin.
func (s *Server) endReloads() {
	s.joining.Lock()
	s.stopped = true
	s.joining.Unlock()
	s.reloads.Wait()
}

// joinReload is the attempt that waits to begin, made if there is none.
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

// runReload begins when the attempt before it has ended.
func (s *Server) runReload(r *reload) {
	defer s.reloads.Done()
	defer close(r.done)
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.joining.Lock()
	s.waiting = nil
	s.joining.Unlock()
	m, err := look(s.cfg.Public)
	if err == nil {
		err = s.load(OpenGeneration)
	}
	s.note(m, err, time.Now(), true)
	r.err = err
}

// reloadIfNew is Reload for a release that is neither being served nor known to be
// broken.
func (s *Server) reloadIfNew(now time.Time) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	m, err := look(s.cfg.Public)
	if err == nil {
		known := m.same(s.last.mark)
		if known && (s.last.err == "" || now.Before(s.last.next)) {
			return
		}
		err = s.load(OpenGeneration)
	}
	s.note(m, err, now, false)
}

// load opens and swaps. The caller holds s.reloading.
func (s *Server) load(open func(dir string) (*Generation, error)) error {
	start := time.Now()
	g, err := open(s.cfg.Public)
	if err != nil {
		return err
	}
	s.Swap(g)
	s.log.Info("serving release", "build", g.Build(), "environments", len(g.readers), "files", !g.bare, "took", time.Since(start).Round(time.Millisecond).String())
	return nil
}

// note records how an attempt ended; a failure counts unless the last attempt at the same
// release failed in the same way, and is logged then or if somebody asked for the attempt.
// The caller holds s.reloading.
func (s *Server) note(m mark, err error, now time.Time, asked bool) {
	if err == nil {
		s.last = attempt{mark: m}
		s.refusal.Store(nil)
		s.telemetry.swaps.Inc(swapped)
		return
	}
	text := err.Error()
	// Before a source has brought the first release there is none to refuse.
	first := s.cfg.Source != nil && s.current.Load() == nil && errors.Is(err, fs.ErrNotExist) && m.info == nil
	if first {
		text = "no release has arrived yet"
	}
	s.refusal.Store(&text)
	pause := s.cfg.PollInterval
	repeated := m.same(s.last.mark) && s.last.err == text
	if !repeated && !first {
		s.telemetry.swaps.Inc(refused)
	}
	switch {
	case first && (!repeated || asked):
		s.log.Info("waiting for the first release", "public", s.cfg.Public)
	case first: // asked again at once: it costs one look
	case !repeated || asked:
		s.log.Error("release refused", "error", err, "serving", s.servedBuild())
	default:
		pause = min(2*s.last.pause, retryMax)
	}
	s.last = attempt{mark: m, err: text, pause: pause, next: now.Add(pause)}
}

func (s *Server) servedBuild() string {
	g := s.acquire()
	if g == nil {
		return "none"
	}
	defer g.Release()
	return g.Build()
}

// start loads the first release. It is served before its digests are compared, which
// would keep clients waiting for longer than all the rest: there is no other release to
// serve meanwhile, as there is when one replaces another. One that turns out to be
// wrong is withdrawn.
func (s *Server) start(ctx context.Context) {
	g := s.loadUnproved()
	if g == nil {
		return
	}
	defer g.Release()
	if err := g.prove(ctx); err != nil && ctx.Err() == nil {
		s.withdraw(g, err)
	}
}

// loadUnproved is the part of start before the first answer. It returns a reference to
// what is served now, nil if there is none or somebody was faster.
func (s *Server) loadUnproved() *Generation {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if s.current.Load() != nil {
		return nil
	}
	m, err := look(s.cfg.Public)
	if err == nil {
		err = s.load(openUnproved)
	}
	s.note(m, err, time.Now(), false)
	return s.acquire()
}

// withdraw ends the serving of a generation that is not what its manifest says.
func (s *Server) withdraw(g *Generation, err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if s.current.Load() == g {
		s.Swap(nil)
		s.note(g.mark, err, time.Now(), false)
	}
}

// poll loads the release and then every new one, until ctx ends.
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
			s.reloadIfNew(now)
			s.watchFiles()
		}
	}
}
