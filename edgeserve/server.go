// This file is the life of a server: creation, listening, draining. Its routes are in
// routes.go.

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

	"github.com/gofiber/fiber/v2"

	"contentedge/edgeserve/admission"
	"contentedge/edgeserve/fastpath"
	"contentedge/edgeserve/logs"
	"contentedge/edgeserve/netlimit"
	"contentedge/edgeserve/respcache"
)

// Server serves the generation that it was given last. Make it with New.
type Server struct {
	cfg Config
	log *slog.Logger
	app *fiber.App

	headers   *headers
	hosts     hosts
	responses *respcache.Budget
	requests  *respcache.Budget // bodies of requests that are being received or answered

	current  atomic.Pointer[served] // nil: no release yet
	searches *admission.Gate

	telemetry *telemetry
	ids       *logs.IDs
	draining  atomic.Bool            // no new connections are accepted
	swappedAt atomic.Int64           // milliseconds since 1970
	refusal   atomic.Pointer[string] // why the last attempt at a release failed; nil if it did not

	contentError atomic.Pointer[contentError] // nil: none is told

	scrubRequests chan struct{} // asks for a pass over the snapshots at once

	reloading sync.Mutex // held while a release is opened
	last      attempt    // guarded by reloading

	joining sync.Mutex
	waiting *reload        // guarded by joining: the attempt that has not begun
	stopped bool           // guarded by joining: there will be no further attempt
	reloads sync.WaitGroup // attempts that Reload asked for
}

// New returns a server without a release. Serve loads the release in cfg.Public.
func New(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger, headers: newHeaders(cfg.Cache, cfg.Origins), hosts: newHosts(cfg.Hosts),
		searches:  admission.New(cfg.MaxSearches, cfg.SearchTimeout),
		responses: respcache.NewBudget(cfg.ResponseBytes), requests: respcache.NewBudget(cfg.RequestBytes),
		telemetry: newTelemetry(), ids: logs.NewIDs(), scrubRequests: make(chan struct{}, 1),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.log = slog.New(logs.Limit(s.log.Handler(), s.telemetry.suppressed.Inc))
	s.app = fiber.New(fiber.Config{
		CaseSensitive: true, StrictRouting: true,
		DisableStartupMessage: true, DisableDefaultContentType: true,
		BodyLimit: cfg.BodyLimit,
		// Without it fasthttp takes memory for a whole body once its length is announced.
		StreamRequestBody: true,
		ReadTimeout:       cfg.HeaderTimeout, // for the rest see received
		WriteTimeout:      cfg.WriteTimeout,
		IdleTimeout:       cfg.IdleTimeout,
		// The listener refuses connections before fasthttp would, with a proper response. The
		// factor covers connections that the listener no longer counts.
		Concurrency:                  2 * cfg.MaxConns,
		ReadBufferSize:               cfg.HeadLimit,
		WriteBufferSize:              writeBuffer,
		DisablePreParseMultipartForm: true,
		ErrorHandler:                 s.fiberError,
	})
	s.routes()
	engine := s.app.Server()
	engine.Handler = s.strict(s.app.Handler())
	engine.ErrorHandler = s.parseError
	engine.HeaderReceived = s.headerReceived
	engine.CloseOnShutdown = true
	return s, nil
}

// Listen serves on the configured address; see Serve.
func (s *Server) Listen(ctx context.Context) error {
	ln, err := netlimit.Listen(ctx, s.cfg.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve loads the release, follows it, and serves on ln until ctx ends. Then it accepts no
// more connections and returns once the requests in flight are answered, or after the drain
// timeout. It closes ln. A Server serves once.
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
	polling.Go(func() { s.poll(ctx) })
	polling.Go(func() { s.scrub(ctx) })
	defer s.Swap(nil)
	defer s.endReloads()
	defer polling.Wait()
	defer stop()

	s.log.Info("listening", "address", public.Addr().String())
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(public) }()
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

// publicListener is what Fiber accepts connections from.
type publicListener interface {
	net.Listener
	Drain()                     // accepts no more connections, and closes idle ones
	Stop(context.Context) error // returns when no connection is left, or when the context ends
}

// listen makes the listener that Fiber accepts connections from: those on which the fast path
// has a request for it, or all.
func (s *Server) listen(ln net.Listener) (publicListener, error) {
	if s.cfg.FastPath == FastPathOff {
		return fastpath.WithoutFastPath(s.limitedListener(ln)), nil
	}
	ln, err := fastpath.Sockets(ln)
	if err != nil {
		return nil, err
	}
	return s.fastPathListener(s.limitedListener(ln))
}

// limitedListener makes a listener that survives errors and keeps the number of open
// connections below the limits.
func (s *Server) limitedListener(ln net.Listener) net.Listener {
	failed := func(err error) {
		s.telemetry.acceptErrors.Inc()
		s.log.Error("accept failed, trying again", "error", err)
	}
	return netlimit.NewListener(ln, netlimit.Limits{
		MaxConns: s.cfg.MaxConns, MaxPerIP: s.cfg.MaxConnsPerIP, Open: &s.telemetry.connections,
		Response: s.rawRefusal(errOverload), ReturnRefused: true, OnAcceptError: failed, OnRefused: s.telemetry.turnedAway.Inc,
	})
}

// drain waits for the requests in flight.
func (s *Server) drain(public publicListener) {
	s.draining.Store(true)
	s.log.Info("draining", "at_most", s.cfg.DrainTimeout.String())
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	start := time.Now()
	err := s.app.ShutdownWithContext(ctx)
	// Fiber may not have started to accept yet.
	err = errors.Join(err, public.Stop(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopped with connections open", "after", s.cfg.DrainTimeout.String())
		return
	}
	s.log.Info("stopped", "drained_in", time.Since(start).Round(time.Millisecond).String())
}
