// This file serves the operator. Responses may name files and errors: clients must not reach it.

package edgeserve

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/atcluster"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

const (
	adminTimeout = 10 * time.Second // to read a request, and to write a response
	adminConns   = 64               // an operator and a few scrapers
	adminBody    = 4 << 10          // in bytes: no request needs one
	adminSpares  = 8                // pairs of descriptors: a few requests when the process has none left

	reloadPath = "/-/reload"
	adminRead  = "GET, HEAD"
	adminWrite = "POST"
)

type admin struct {
	server *fasthttp.Server
	done   chan struct{} // closed when it no longer accepts
}

// startAdmin listens on the configured address; without an address it returns nil. Its reloads end with ctx.
func (s *Server) startAdmin(ctx context.Context) (*admin, error) {
	if !s.cfg.hasAdmin() {
		return nil, nil
	}
	ln, err := s.adminSocket(ctx)
	if err != nil {
		return nil, fmt.Errorf("the admin listener: %w", err)
	}
	a := &admin{done: make(chan struct{}), server: &fasthttp.Server{
		Handler:      s.strictAdmin(ctx),
		ErrorHandler: s.adminError,
		Logger:       silence{},
		ReadTimeout:  adminTimeout, WriteTimeout: adminTimeout, IdleTimeout: DefaultIdleTimeout,
		MaxRequestBodySize: adminBody, ReadBufferSize: address.DefaultHeadLimit,
		Concurrency:     2 * adminConns,
		CloseOnShutdown: true, NoDefaultServerHeader: true, DisablePreParseMultipartForm: true,
	}}
	failed := func(err error) { s.log.Error("accept failed on the admin listener, trying again", "error", err) }
	s.log.Info("admin listening", "address", ln.Addr().String())
	ln = netlimit.NewListener(ln, netlimit.Limits{MaxConns: adminConns, Response: s.respond.rawRefusal(problem.Of(problem.Overloaded)), OnAcceptError: failed, Spares: adminSpares})
	go func() {
		defer crash.Exit()
		defer close(a.done)
		_ = a.server.Serve(ln) // it ends with stop
	}()
	return a, nil
}

func (s *Server) adminSocket(ctx context.Context) (net.Listener, error) {
	if s.cfg.AdminSocket != nil {
		return s.cfg.AdminSocket, nil
	}
	return netlimit.Listen(ctx, s.cfg.Admin, s.cfg.ReusePort)
}

// stop ends the listener once requests are answered, or after adminTimeout.
func (a *admin) stop() {
	if a == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	_ = a.server.ShutdownWithContext(ctx)
	<-a.done
}

// silence drops fasthttp's log, whose texts quote requests.
type silence struct{}

// Printf implements fasthttp.Logger.
func (silence) Printf(string, ...any) {}

func (s *Server) adminError(ctx *fasthttp.RequestCtx, _ error) {
	s.respond.refuse(ctx, problem.Of(problem.BadRequest))
	private(ctx)
}

// private forbids pages of other origins, which CommonFields.Set admits.
func private(ctx *fasthttp.RequestCtx) { ctx.Response.Header.Del(httpfield.AllowOrigin) }

// strictAdmin is fiberAdapter.strict for the admin listener.
func (s *Server) strictAdmin(serving context.Context) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer private(ctx)
		defer s.fiber.recovered(ctx)
		closing, refusal := checkHead(&ctx.Request.Header, adminBody)
		if closing {
			ctx.SetConnectionClose()
		}
		if refusal != nil {
			s.respond.refuse(ctx, refusal)
			return
		}
		if !s.isForAdmin(ctx) {
			s.respond.refuse(ctx, problem.New(problem.UnknownHost, "this listener does not answer for that host, as a page of another site may be asking; if the name is yours, start the server with --admin-host NAME"))
			return
		}
		s.respondAdmin(serving, ctx)
	}
}

// isForAdmin reports whether a request is for a name of the admin listener. By DNS rebinding a page of another site
// could otherwise read each of its routes: they name environments, stores and errors. Browsers always send a Host.
func (s *Server) isForAdmin(ctx *fasthttp.RequestCtx) bool {
	return len(ctx.Request.Header.Host()) == 0 || allowedHost(s.adminHosts, ctx)
}

// hostsOfAdmin returns the names of the admin listener: the configured ones, and the name at which it listens.
func hostsOfAdmin(cfg *ServerConfig) httphead.Hosts {
	hosts := httphead.NewHosts(cfg.AdminHosts)
	if name, _, err := net.SplitHostPort(cfg.Admin); err == nil && name != "" {
		hosts.Add(name)
	}
	return hosts
}

func (s *Server) respondAdmin(serving context.Context, ctx *fasthttp.RequestCtx) {
	path, query := address.SplitTarget(string(ctx.Request.Header.RequestURI()))
	allow := adminRead
	switch path {
	case address.Live.Path(), address.Ready.Path(), prometheus.Path:
	case reloadPath:
		allow = adminWrite
	default:
		s.adminBrowsed(serving, ctx, path, query)
		return
	}
	switch method := string(ctx.Method()); {
	case !address.Takes(allow, method):
		s.respond.fail(ctx, problem.Of(problem.MethodNotAllowed))
		ctx.Response.Header.Set(httpfield.Allow, allow)
	case path == address.Live.Path():
		s.respond.sendHealth(ctx, "live")
	case path == address.Ready.Path():
		s.adminReady(ctx)
	case path == prometheus.Path:
		s.sendMetrics(ctx)
	default:
		s.adminReload(serving, ctx)
	}
}

type state struct {
	Build string `json:"build"` // "none" without a release
	Error string `json:"error"` // why the last release was refused; empty if it was not
	// Following is the state of the source of releases, if there is one.
	Following any `json:"following,omitempty"`
	// Cluster is the state of the cluster that evaluates searches, if there is one.
	Cluster *atcluster.State `json:"cluster,omitempty"`
}

func (s *Server) state() state {
	st := state{Build: s.servedBuild(), Error: s.refusalText()}
	if s.cfg.Source != nil {
		st.Following = s.cfg.Source.State()
	}
	if s.cfg.Cluster != nil {
		st.Cluster = s.cfg.Cluster.State()
	}
	return st
}

// refusalText says why the last release was refused; empty if it was not.
func (s *Server) refusalText() string {
	if p := s.refusal.Load(); p != nil {
		return p.text
	}
	return ""
}

// adminReady is 200 while requests are answered with content, be it of an old release. It ignores
// failures of the source: all nodes share it, and would leave at once.
func (s *Server) adminReady(ctx *fasthttp.RequestCtx) {
	st := s.state()
	if why := s.notReady(); why != "" {
		s.respond.fail(ctx, problem.New(problem.NotReady, why))
		return
	}
	s.sendState(ctx, st)
}

// notReady says why the server is not ready; empty if it is.
func (s *Server) notReady() string {
	switch {
	case s.life.leaving.Load():
		return stopping
	case s.current.Served.Load() != nil:
		return ""
	}
	text := "no release is loaded: " + s.refusalText()
	if s.cfg.Source == nil {
		return text
	}
	if why := s.cfg.Source.Problem(); why != "" {
		text += ": " + why
	}
	return text
}

// adminReload answers once the current release is served or refused. Pages in browsers must not ask
// for it: browsers say on whose behalf they send, an operator's tools do not.
func (s *Server) adminReload(serving context.Context, ctx *fasthttp.RequestCtx) {
	if len(ctx.Request.Header.Peek(httpfield.Origin)) > 0 || len(ctx.Request.Header.Peek(httpfield.SecFetchSite)) > 0 {
		s.respond.fail(ctx, problem.Of(problem.CrossOrigin))
		return
	}
	if err := s.Reload(serving); err != nil {
		s.respond.fail(ctx, problem.New(problem.ReleaseRefused, err.Error()))
		return
	}
	s.sendState(ctx, s.state())
}

func (s *Server) sendState(ctx *fasthttp.RequestCtx, st state) {
	b, err := json.Marshal(st)
	if err != nil {
		s.respond.fail(ctx, problem.Of(problem.Internal))
		return
	}
	s.respond.sendData(ctx, b)
}
