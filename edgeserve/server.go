// This file is the life of a server: creation, listening, draining.

package edgeserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/damage"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/wire/problem"
)

// Server serves the generation that it was given last. Make it with New. It owns what lives as
// long as the process. The adapters that answer requests hold the values that they need of it.
type Server struct {
	cfg ServerConfig
	log *slog.Logger

	fields    *respond.Fields
	resources *delivery.Resources
	current   delivery.Current
	respond   *responder
	observer  *observer
	telemetry *telemetry // the observer's
	fiber     *fiberAdapter
	fast      *fastAdapter

	draining  atomic.Bool             // no new connections are accepted
	swappedAt atomic.Int64            // milliseconds since 1970
	refusal   atomic.Pointer[refusal] // why the last attempt at a release failed; nil if it did not
	history   statuspage.History

	adminHosts httphead.Hosts

	damage *damage.Watch

	reloading sync.Mutex // held while a release is opened
	last      attempt    // guarded by reloading

	joining sync.Mutex
	waiting *reload        // guarded by joining: the attempt that has not begun
	stopped bool           // guarded by joining: there will be no further attempt
	reloads sync.WaitGroup // attempts that Reload asked for
}

// New returns a server without a release. Serve loads the release in cfg.Public.
func New(cfg ServerConfig) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	t := newTelemetry()
	t.node.MaxConns = cfg.MaxConns
	s := &Server{
		cfg: cfg, log: slog.New(logs.Limit(cfg.Logger.Handler(), t.node.Suppressed.Inc)),
		fields:    respond.NewFields(cfg.Cache, cfg.Origins),
		observer:  &observer{telemetry: t, accessLog: cfg.AccessLog, onResponse: cfg.OnResponse, ids: logs.NewIDs(), clients: newClients(&cfg), hosts: httphead.NewHosts(cfg.Hosts)},
		telemetry: t,
	}
	s.adminHosts = httphead.NewHosts(cfg.AdminHosts)
	s.damage = damage.New(watchedNode{s}, cfg.Scrub)
	s.resources = &delivery.Resources{
		Memory: bodies.NewBudget(cfg.ResponseBytes), Searches: admission.New(cfg.MaxSearches, cfg.SearchTimeout),
		BodyLimit: cfg.BodyLimit, StrictParameters: cfg.StrictParameters, FetchMedia: cfg.FetchMedia, SlowSearches: rememberedSearches(&cfg), Counters: t.delivery, Log: s.log,
	}
	s.respond = &responder{current: &s.current, fields: s.fields, memory: s.resources.Memory, clients: s.observer.clients}
	a := &adapter{
		current: &s.current, respond: s.respond, observe: s.observer, log: s.log, findDamage: s.damage.Suspect, fallback: cfg.Fallback,
	}
	requests := bodies.NewBudget(cfg.RequestBytes)
	s.fast = &fastAdapter{shared: a, respond: a.respond, observe: a.observe, requests: requests}
	s.fiber = newFiberAdapter(a, requests, &cfg)
	return s, nil
}

// rememberedSearches is how many slow searches of a release are remembered: none that nobody can see.
func rememberedSearches(cfg *ServerConfig) int {
	if cfg.Admin == "" {
		return 0
	}
	return cfg.SlowSearches
}

// Listen serves on the configured address; see Serve.
func (s *Server) Listen(ctx context.Context) error {
	ln, err := netlimit.Listen(ctx, s.cfg.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve loads the release, follows it, and serves on ln until ctx ends. Then it accepts no more
// connections and returns once requests in flight are answered, or after the drain timeout. It
// closes ln. A Server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	public, err := s.listen(ln)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	admin, err := s.startAdmin(ctx)
	if err != nil {
		stop()
		_ = public.Stop(ctx) // which has ended
		return err
	}
	defer admin.stop()
	var polling sync.WaitGroup
	polling.Go(crash.Guarded(func() { s.poll(ctx) }))
	polling.Go(crash.Guarded(func() { s.damage.Run(ctx) }))
	if admin != nil {
		polling.Go(crash.Guarded(func() { s.history.Run(ctx, s.metricsText) }))
	}
	defer s.Swap(nil)
	defer s.endReloads()
	defer polling.Wait()
	defer stop()

	s.log.Info("listening", "address", public.Addr().String())
	served := make(chan error, 1)
	go crash.Guarded(func() { served <- s.fiber.app.Listener(public) })()
	select {
	case err := <-served:
		stop()
		_ = public.Stop(ctx)
		return fmt.Errorf("the listener ended: %w", err)
	case <-ctx.Done():
	}
	public.Drain()
	s.drain(public)
	return <-served
}

type publicListener interface {
	net.Listener
	Drain()                     // accepts no more connections, and closes idle ones
	Stop(context.Context) error // returns when no connection is left, or when the context ends
}

// listen makes Fiber's listener: of connections that the fast path hands off, or of all.
func (s *Server) listen(ln net.Listener) (publicListener, error) {
	if s.cfg.FastPath == FastPathOff {
		return fastpath.WithoutFastPath(s.limitedListener(ln), s.cfg.FirstByteTimeout, s.cfg.HeaderTimeout), nil
	}
	ln, err := fastpath.Sockets(ln)
	if err != nil {
		return nil, err
	}
	return s.fast.listen(s.limitedListener(ln), &s.cfg)
}

func (s *Server) limitedListener(ln net.Listener) net.Listener {
	failed := func(err error) {
		s.telemetry.node.AcceptErrors.Inc()
		s.log.Error("accept failed, trying again", "error", err)
	}
	return netlimit.NewListener(ln, netlimit.Limits{
		MaxConns: s.cfg.MaxConns, MaxPerIP: s.cfg.MaxConnsPerIP, Open: &s.telemetry.node.Connections,
		Response: s.respond.rawRefusal(problem.Of(problem.Overloaded)), ReturnRefused: true, OnAcceptError: failed, OnRefused: s.telemetry.node.TurnedAway.Inc,
	})
}

func (s *Server) drain(public publicListener) {
	s.draining.Store(true)
	s.log.Info("draining", "at_most", s.cfg.DrainTimeout.String())
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	start := time.Now()
	err := s.fiber.app.ShutdownWithContext(ctx)
	// Fiber may not have started to accept yet.
	err = errors.Join(err, public.Stop(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopped with connections open", "after", s.cfg.DrainTimeout.String())
		return
	}
	s.log.Info("stopped", "drained_in", time.Since(start).Round(time.Millisecond).String())
}
