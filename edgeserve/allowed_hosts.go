// This file keeps a server to its own host names. By DNS rebinding a page of another site could
// read responses: its name then leads to this machine. The Host of its requests gives it away.

package edgeserve

import (
	"net"
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/httphead"
)

// AnyHost stands for all hosts in ServerConfig.Hosts.
const AnyHost = "*"

// hosts are the names that requests may be for, in the form of hostName; nil: all.
type hosts map[string]bool

func newHosts(names []string) hosts {
	if len(names) == 1 && names[0] == AnyHost {
		return nil
	}
	h := hosts{}
	for _, name := range names {
		h[hostName(name)] = true
	}
	return h
}

// hostName is a Host without its port, in the form in which names are compared.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// allow reports whether a request may be for a host: one of the names, a loopback name, or the
// address that the request came to, as nobody can rebind an address.
func (h hosts) allow(host string, local net.Addr) bool {
	name := hostName(host)
	if h == nil || h[name] || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	tcp, ok := local.(*net.TCPAddr)
	return ip.IsLoopback() || ok && ip == tcp.AddrPort().Addr().Unmap()
}

// allowRequest checks a request's Host and the host of its target, which counts if there is one.
func (h hosts) allowRequest(ctx *fasthttp.RequestCtx) bool {
	if h == nil {
		return true
	}
	head := &ctx.Request.Header
	if _, rest, absolute := strings.Cut(string(head.RequestURI()), "://"); absolute && head.RequestURI()[0] != '/' {
		authority, _, _ := strings.Cut(rest, "/")
		authority, _, _ = strings.Cut(authority, "?")
		if !h.allow(authority, ctx.LocalAddr()) {
			return false
		}
	}
	return h.allow(string(head.Host()), ctx.LocalAddr())
}

func validHostName(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return s != "" && !strings.ContainsAny(s, ":*") && httphead.ValidHost([]byte(s))
}
