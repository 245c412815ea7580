// This file says whose request it is. Both adapters give package clientip the same bytes.

package edgeserve

import (
	"net/netip"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/clientip"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/netlimit"
)

// clients finds the clients of requests. Limits count by the identity (netlimit.ClientOf), the access log
// has the address.
type clients struct {
	finder *clientip.Finder // nil: clients are TCP peers
}

// newClients returns what cfg, which is valid, says about proxies.
func newClients(cfg *ServerConfig) clients {
	trusted, _ := clientip.ParseNetworks(cfg.TrustedProxies)
	return clients{clientip.NewFinder(trusted, cfg.ClientIPFrom)}
}

func (c clients) identity(ctx *fasthttp.RequestCtx) netip.Addr {
	return netlimit.ClientOf(c.address(ctx))
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

func (c clients) fastIdentity(r *fastpath.Request) netip.Addr {
	return netlimit.ClientOf(c.fastAddress(r))
}

func (c clients) fastAddress(r *fastpath.Request) netip.Addr {
	if !r.Client.IsValid() {
		r.Client = c.finder.Find(netlimit.Peer(r.From).Addr(), r.Fields)
	}
	return r.Client
}
