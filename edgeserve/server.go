// This file is the server's life: made, listening, draining. What it answers is in
// handler.go.

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
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/logs"
	"contentedge/edgeserve/wire"
)

// Server answers requests from the generation it was last given. Make it with New.
type Server struct {
	cfg Config
	log *slog.Logger
	app *fiber.App

	headers *headers
	hosts   hosts
	memory  memory

	current  atomic.Pointer[Generation] // nil: no release yet
	searches *gate

	telemetry *telemetry
	ids       *logs.IDs
	draining  atomic.Bool            // no new connections are accepted
	swappedAt atomic.Int64           // milliseconds since 1970
	refusal   atomic.Pointer[string] // why the last attempt at a release failed; nil if it did not

	contentError atomic.Pointer[contentError] // nil: none is told

	suspicion chan struct{} // asks for a pass over the snapshots at once

	reloading sync.Mutex // held while a release is opened
	last      attempt    // guarded by reloading

	joining sync.Mutex
	waiting *reload        // guarded by joining: the attempt that has not begun
	stopped bool           // guarded by joining: there will be no further attempt
	reloads sync.WaitGroup // attempts that Reload asked for
}

// New makes a server without a release; Serve loads the one in cfg.Public.
func New(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger, headers: newHeaders(cfg.Cache, cfg.Origins), hosts: newHosts(cfg.Hosts),
		searches:  newGate(cfg.MaxSearches, cfg.SearchTimeout),
		telemetry: newTelemetry(), ids: logs.NewIDs(), suspicion: make(chan struct{}, 1),
	}
	s.memory.left = cfg.ResponseBytes
	if s.log == nil {
		s.log = slog.Default()
	}
	s.log = slog.New(logs.Limit(s.log.Handler(), s.telemetry.suppressed.Inc))
	s.app = fiber.New(fiber.Config{
		CaseSensitive: true, StrictRouting: true,
		DisableStartupMessage: true, DisableDefaultContentType: true,
		BodyLimit:    cfg.BodyLimit,
		ReadTimeout:  cfg.HeaderTimeout, // for the rest see received
		WriteTimeout: cfg.WriteTimeout,
		IdleTimeout:  cfg.IdleTimeout,
		// The listener turns connections away before the engine would, with a
		// proper answer; the rest is for those between its count and ours.
		Concurrency:                  2 * cfg.MaxConns,
		ReadBufferSize:               cfg.HeadLimit,
		WriteBufferSize:              writeBuffer,
		DisablePreParseMultipartForm: true,
		ErrorHandler:                 s.fiberError,
	})
	s.app.Use(func(c *fiber.Ctx) error {
		s.answer(c.Context())
		return nil
	})
	engine := s.app.Server()
	engine.Handler = s.guarded(s.app.Handler())
	engine.ErrorHandler = s.engineError
	engine.ExpectHandler = s.expect
	engine.HeaderReceived = s.received
	engine.CloseOnShutdown = true
	return s, nil
}

// received gives a request with a body the time for it, once its head is there.
func (s *Server) received(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	if n := h.ContentLength(); n > 0 || n == chunkedLength {
		c.ReadTimeout = s.cfg.ReadTimeout
	}
	return c
}

// chunkedLength is the engine's length of a body that comes in chunks.
const chunkedLength = -1

// Listen serves on the configured address; see Serve.
func (s *Server) Listen(ctx context.Context) error {
	ln, err := listen(ctx, s.cfg.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve loads the release, follows it, and answers on ln until ctx ends. Then it
// stops accepting and returns once the requests in flight are answered, or after the
// drain timeout. It closes ln. A Server serves once.
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

// listen makes the listener that the engine accepts connections from.
func (s *Server) listen(ln net.Listener) (*wire.Listener, error) {
	ln, err := wire.Sockets(ln)
	if err != nil {
		return nil, err
	}
	return s.wireListener(s.guardListener(ln))
}

// guardListener makes a listener that survives errors and keeps the number of open
// connections below the limit.
func (s *Server) guardListener(ln net.Listener) net.Listener {
	failed := func(err error) {
		s.telemetry.acceptErrors.Inc()
		s.log.Error("accept failed, trying again", "error", err)
	}
	l := newListener(ln, s.cfg.MaxConns, s.rawRefusal(errOverload), failed)
	l.open, l.turned = &s.telemetry.connections, s.telemetry.turnedAway.Inc
	l.peers.limit = s.cfg.MaxConnsPerIP
	return l
}

// drain lets the requests in flight finish.
func (s *Server) drain(public *wire.Listener) {
	s.draining.Store(true)
	s.log.Info("draining", "at_most", s.cfg.DrainTimeout.String())
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	start := time.Now()
	err := s.app.ShutdownWithContext(ctx)
	// The engine may not have been told of the listener yet.
	err = errors.Join(err, public.Stop(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopped with connections open", "after", s.cfg.DrainTimeout.String())
		return
	}
	s.log.Info("stopped", "drained_in", time.Since(start).Round(time.Millisecond).String())
}
