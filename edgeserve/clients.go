// This file says whose request it is. Both adapters give package clientip the same bytes.

package edgeserve

import (
	"net/netip"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/clientip"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/serve/ratelimit"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// clients finds the clients of requests, and limits their rates. Limits count by the identity
// (clientnet.Of), the access log has the address.
type clients struct {
	finder *clientip.Finder   // nil means that clients are TCP peers
	limits *ratelimit.Limiter // nil means no limit
	timing clientip.Networks  // who may ask for Server-Timing
}

// newClients returns what cfg, which is valid, says about clients.
func newClients(cfg *ServerConfig) clients {
	trusted, _ := clientip.ParseNetworks(cfg.TrustedProxies)
	exempt, _ := clientip.ParseNetworks(cfg.RateExempt)
	timing, _ := clientip.ParseNetworks(cfg.ServerTiming)
	return clients{timing: timing, finder: clientip.NewFinder(trusted, cfg.ClientIPFrom), limits: ratelimit.New(ratelimit.Config{
		Requests: cfg.RateLimit, Burst: cfg.RateBurst, Work: cfg.SearchRate, WorkBurst: cfg.SearchBurst, Exempt: exempt,
	})}
}

// take takes a request of the client at an address. It returns the problem of a client that has had too many. Each
// request is taken once: by the fast path if that answers it, otherwise by Fiber.
func (c clients) take(addr netip.Addr) *problem.Problem {
	if c.limits.IsExempt(addr) {
		return nil
	}
	wait, ok := c.limits.TakeRequest(clientnet.Of(addr))
	if ok {
		return nil
	}
	return problem.Of(problem.RateLimited).After(wait)
}

// takeFast is take for a request for content on the fast path, which is never a probe.
func (c clients) takeFast(r *fastpath.Request) *problem.Problem {
	if c.limits == nil {
		return nil
	}
	return c.take(c.fastAddress(r))
}

// takeFiber is take for a request that Fiber answers, unless it is a probe.
func (c clients) takeFiber(ctx *fasthttp.RequestCtx) *problem.Problem {
	if c.limits == nil {
		return nil
	}
	kind, _, known := address.AllowOf(string(ctx.Request.Header.RequestURI()))
	if known && (kind == address.Live || kind == address.Ready) {
		return nil
	}
	p := c.take(c.address(ctx))
	if p != nil && known && kind != address.Home {
		setRoute(ctx, routeOfKind(kind))
	} else if p != nil {
		setRoute(ctx, metrics.Unknown)
	}
	return p
}

func (c clients) identity(ctx *fasthttp.RequestCtx) clientnet.Client {
	return clientnet.Of(c.address(ctx))
}

func (c clients) address(ctx *fasthttp.RequestCtx) netip.Addr {
	peer := netlimit.Peer(ctx.RemoteAddr()).Addr()
	if c.finder == nil {
		return c.finder.Find(peer, nil)
	}
	if addr, ok := ctx.UserValue(clientKey{}).(netip.Addr); ok {
		return addr
	}
	addr := c.finder.Find(peer, ctx.Request.Header.RawHeaders())
	ctx.SetUserValue(clientKey{}, addr)
	return addr
}

type clientKey struct{} // of a user value

func (c clients) fastIdentity(r *fastpath.Request) clientnet.Client {
	return clientnet.Of(c.fastAddress(r))
}

func (c clients) fastAddress(r *fastpath.Request) netip.Addr {
	if !r.Client.IsValid() {
		r.Client = c.finder.Find(netlimit.Peer(r.From).Addr(), r.Fields)
	}
	return r.Client
}
