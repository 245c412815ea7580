// This file is the life of a server: it listens, loads a release, accepts, and drains.

package edgeserve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/serve/tlslisten"
	"contentedge/edgeserve/wire/problem"
)

// lifecycle says how far a server is in its life. The adapters read it.
type lifecycle struct {
	ready   atomic.Bool // it accepts
	leaving atomic.Bool // probes answer that it is not ready; requests are answered as ever
	closing atomic.Bool // responses end their connections

	first     sync.Once
	attempted chan struct{} // closed once a release is served, or none can be expected soon
}

func newLifecycle() *lifecycle { return &lifecycle{attempted: make(chan struct{})} }

// endWait ends awaitRelease.
func (l *lifecycle) endWait() { l.first.Do(func() { close(l.attempted) }) }

// Listen serves on the passed socket, or on the configured address; see Serve.
func (s *Server) Listen(ctx context.Context) error {
	if ln := s.cfg.Socket; ln != nil {
		if err := netlimit.Adopt(ln); err != nil {
			return errors.Join(err, ln.Close())
		}
		return s.serve(ctx, ln, true)
	}
	if s.cfg.ReusePort {
		return s.serve(ctx, nil, false)
	}
	ln, err := netlimit.Listen(ctx, s.cfg.Addr, false)
	if err != nil {
		return err
	}
	return s.serve(ctx, ln, false)
}

// Serve loads the release, follows it, and serves on ln until ctx ends. It accepts connections once
// a release is loaded, or after the start timeout. When ctx ends, it drains: requests are answered,
// with Connection: close, and it returns once no connection is left, or after the drain timeout. It
// closes ln. A Server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error { return s.serve(ctx, ln, false) }

// serve is Serve. Other processes accept from a shared socket too. Without ln the server listens once
// the release is loaded: the kernel gives each socket of an address a share of the connections. A
// process that does not get ready would lose its share.
func (s *Server) serve(ctx context.Context, ln net.Listener, shared bool) error {
	ctx, stop := context.WithCancel(ctx)
	admin, err := s.startAdmin(ctx)
	if err != nil {
		stop()
		if ln != nil {
			err = errors.Join(err, ln.Close())
		}
		return err
	}
	defer admin.stop()
	tasks := s.startTasks(ctx, admin != nil)
	defer func() { _ = s.Swap(nil) }()
	defer s.endReloads()
	defer tasks.Wait()
	defer stop()

	if ln != nil {
		s.log.Info("listening", "address", ln.Addr().String(), "passed", shared)
	}
	s.awaitRelease(ctx)
	if ctx.Err() != nil && (ln == nil || shared) {
		return s.leaveUnserved(ln)
	}
	if ln == nil {
		if ln, err = netlimit.Listen(ctx, s.cfg.Addr, true); err != nil {
			return err
		}
		s.log.Info("listening", "address", ln.Addr().String(), "shares_port", true)
	}
	public, err := s.listen(ln)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go crash.Guarded(func() { served <- s.fiber.app.Listener(public) })()
	s.life.ready.Store(true)
	s.tellManager(s.cfg.Manager.Ready(s.status()))
	select {
	case err := <-served:
		stop()
		_ = public.Stop(ctx, func() bool { return false })
		return fmt.Errorf("the listener ended: %w", err)
	case <-ctx.Done():
	}
	s.drain(public, shared)
	return <-served
}

// awaitRelease waits for the first release. Until then connections wait in the kernel, where another process that
// serves the socket may take them: a response without a release does not help the client.
func (s *Server) awaitRelease(ctx context.Context) {
	timer := time.NewTimer(s.cfg.StartTimeout)
	defer timer.Stop()
	select {
	case <-s.life.attempted:
	case <-ctx.Done():
	case <-timer.C:
		if s.cfg.StartTimeout > 0 {
			s.log.Warn("accepting connections without a release", "waited", s.cfg.StartTimeout.String())
		}
	}
}

// startTasks starts the background tasks, which run until ctx ends.
func (s *Server) startTasks(ctx context.Context, withHistory bool) *sync.WaitGroup {
	tasks := new(sync.WaitGroup)
	tasks.Go(crash.Guarded(func() { s.poll(ctx) }))
	tasks.Go(crash.Guarded(func() { s.damage.Run(ctx) }))
	tasks.Go(crash.Guarded(func() { s.keepManager(ctx) }))
	if s.tls != nil {
		tasks.Go(crash.Guarded(func() { s.tls.Run(ctx) }))
	}
	if withHistory {
		tasks.Go(crash.Guarded(func() { s.history.Run(ctx, s.metricsText) }))
	}
	return tasks
}

// leaveUnserved ends a server that was stopped before it accepted. Connections that wait at a shared
// socket, which is nil if it is not open yet, are for the other processes.
func (s *Server) leaveUnserved(shared net.Listener) error {
	s.tellManager(s.cfg.Manager.Stopping("stopped before a release was loaded"))
	s.log.Info("stopped before a release was loaded")
	if shared == nil {
		return nil
	}
	return shared.Close()
}

// publicListener is Fiber's listener: of connections that the fast path hands off, or of all.
type publicListener struct {
	drainable
	limited *netlimit.Listener // that it accepts from
}

type drainable interface {
	net.Listener
	CloseIdle() bool           // closes the connection that has been idle the longest; false if none is idle
	Drain(grace time.Duration) // ends connections one by one, and still accepts
	// Stop stops accepting. It returns when no connection is left, or when the context ends; downloads that make
	// progress then continue while more returns true.
	Stop(ctx context.Context, more func() bool) error
}

func (s *Server) listen(ln net.Listener) (l publicListener, err error) {
	if s.tls == nil && s.cfg.FastPath != FastPathOff {
		if ln, err = fastpath.Sockets(ln); err != nil {
			return l, err
		}
		l.limited = s.limitedListener(ln)
		if l.drainable, err = s.fast.listen(l.limited, &s.cfg); err == nil {
			l.limited.OnFull(s.closeIdle(l))
		}
		return l, err
	}
	l.limited = s.limitedListener(ln)
	ln = l.limited
	if s.tls != nil {
		ln = s.tlsListener(ln)
	}
	l.drainable = fastpath.WithoutFastPath(ln, s.cfg.FirstByteTimeout, s.cfg.HeaderTimeout)
	l.limited.OnFull(s.closeIdle(l))
	return l, nil
}

// closeIdle returns a function that closes an idle connection of a listener for a new one.
func (s *Server) closeIdle(l publicListener) func() bool {
	return func() bool {
		closed := l.CloseIdle()
		if closed {
			s.telemetry.node.IdleClosed.Inc()
		}
		return closed
	}
}

// tlsListener has clients shake hands. The time of a head is enough for it: they begin at once.
func (s *Server) tlsListener(ln net.Listener) net.Listener {
	s.log.Info("TLS: Fiber answers every request", "certificate", s.cfg.TLSCert, "not_after", s.tls.NotAfter().UTC())
	return tlslisten.NewListener(ln, tlslisten.Config{
		Certificate: s.tls, Only13: s.cfg.TLS13Only, Handshake: s.cfg.HeaderTimeout, OnFailure: s.telemetry.node.HandshakeErrors.Inc,
		PlainHTTP: s.respond.rawRefusal(problem.New(problem.BadRequest, "this port speaks HTTPS: the request came without TLS")),
	})
}

func (s *Server) limitedListener(ln net.Listener) *netlimit.Listener {
	failed := func(err error) {
		s.telemetry.node.AcceptErrors.Inc()
		s.log.Error("accept failed, trying again", "error", err)
	}
	return netlimit.NewListener(ln, netlimit.Limits{
		MaxConns: s.cfg.MaxConns, MaxPerIP: s.cfg.MaxConnsPerIP, Open: &s.telemetry.node.Connections,
		Response: s.respond.rawRefusal(problem.Of(problem.Overloaded)), ReturnRefused: true, OnAcceptError: failed, OnRefused: s.telemetry.node.TurnedAway.Inc,
	})
}

// drain ends the service. During the delay only probes notice. During the grace clients still get
// responses, on new connections too, and learn that their connections end.
func (s *Server) drain(public publicListener, shared bool) {
	s.life.leaving.Store(true)
	s.tellManager(s.cfg.Manager.Stopping("draining"))
	if s.cfg.DrainDelay > 0 {
		s.log.Info("leaving: probes say not ready, requests are answered", "for", s.cfg.DrainDelay.String())
		time.Sleep(s.cfg.DrainDelay)
	}
	grace := s.cfg.grace()
	s.log.Info("draining", "grace", grace.String(), "at_most", s.cfg.DrainTimeout.String())
	start := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), start.Add(s.cfg.DrainTimeout))
	defer cancel()
	s.life.closing.Store(true)
	public.Drain(grace)
	s.awaitIdle(start.Add(grace))
	if grace > 0 && !shared {
		public.limited.Settle()
	}
	// Fiber is shut down when nothing is left: it would end connections that do not expect it.
	err := public.Stop(ctx, s.downloadsMayGoOn(public.Addr(), start))
	if err == nil && ctx.Err() != nil { // downloads continued, and nothing is left
		ctx, cancel = context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
		defer cancel()
	}
	err = errors.Join(err, s.fiber.app.ShutdownWithContext(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopped with connections open", "after", time.Since(start).Round(time.Millisecond).String())
		return
	}
	s.log.Info("stopped", "drained_in", time.Since(start).Round(time.Millisecond).String())
}

const (
	// idlePoll is the interval between looks at the number of connections while draining.
	idlePoll = 5 * time.Millisecond
	// quietTime without a connection ends the grace early. Clients whose connection has just ended
	// connect again within it.
	quietTime = 100 * time.Millisecond
)

// awaitIdle waits until end, or until no connection has been open for quietTime.
func (s *Server) awaitIdle(end time.Time) {
	for now, busy := time.Now(), time.Now(); now.Before(end) && now.Sub(busy) < quietTime; now = time.Now() {
		if s.telemetry.node.Connections.Load() > 0 {
			busy = now
		}
		time.Sleep(idlePoll)
	}
}
