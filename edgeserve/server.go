// This file makes a server. Its life is in lifecycle.go.

package edgeserve

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/damage"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/serve/tlslisten"
)

// Server serves the generation that it was given last. Make it with New. It owns what lives as long as the process. The
// adapters that answer requests hold only the values that they need.
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

	life      *lifecycle
	tls       *tlslisten.Certificate  // nil means no TLS
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

	loads    context.Context // ends all attempts
	endLoads context.CancelFunc
}

// New returns a server without a release. Serve loads the release in cfg.Public.
func New(cfg ServerConfig) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	t := newTelemetry()
	t.node.MaxConns = cfg.MaxConns
	s := &Server{
		cfg: cfg, log: logs.Limited(cfg.Logger),
		fields:    respond.NewFields(cfg.Cache, cfg.Origins),
		observer:  &observer{telemetry: t, accessLog: cfg.AccessLog, onResponse: cfg.OnResponse, ids: logs.NewIDs(), clients: newClients(&cfg), hosts: httphead.NewHosts(cfg.Hosts)},
		telemetry: t,
		life:      newLifecycle(),
	}
	s.loads, s.endLoads = context.WithCancel(context.Background())
	s.adminHosts = hostsOfAdmin(&cfg)
	if cfg.TLSCert != "" {
		var err error
		if s.tls, err = tlslisten.Load(cfg.TLSCert, cfg.TLSKey, s.log); err != nil {
			return nil, err
		}
	}
	s.damage = damage.New(watchedNode{s}, cfg.Scrub)
	s.resources = &delivery.Resources{
		Memory: bodies.NewBudget(cfg.ResponseBytes), Searches: admission.New(cfg.MaxSearches, cfg.SearchTimeout),
		BodyLimit: cfg.BodyLimit, StrictParameters: cfg.StrictParameters, ListEnvironments: cfg.ListEnvironments, FetchMedia: cfg.FetchMedia, SlowSearches: rememberedSearches(&cfg), Counters: t.delivery, Log: s.log, Limits: s.observer.clients.limits,
	}
	s.respond = &responder{current: &s.current, fields: s.fields, memory: s.resources.Memory, clients: s.observer.clients}
	a := &adapter{
		current: &s.current, respond: s.respond, observe: s.observer, life: s.life, log: s.log, findDamage: s.damage.Suspect, fallback: cfg.Fallback,
	}
	requests := bodies.NewBudget(cfg.RequestBytes)
	s.fast = &fastAdapter{shared: a, respond: a.respond, observe: a.observe, requests: requests}
	s.fiber = newFiberAdapter(a, requests, &cfg)
	return s, nil
}

// rememberedSearches is how many slow searches of a release are remembered: none without a page that shows them.
func rememberedSearches(cfg *ServerConfig) int {
	if !cfg.hasAdmin() {
		return 0
	}
	return cfg.SlowSearches
}
