// This file keeps a server to its own host names. By DNS rebinding a page of another site could
// read responses: its name then leads to this machine. The Host of its requests gives it away.

package httphead

import (
	"net"
	"net/netip"
	"strings"
)

// AnyHost stands for all hosts in ServerConfig.Hosts.
const AnyHost = "*"

// Hosts are the names that requests may be for, in the form of hostName; nil means all.
type Hosts map[string]bool

// NewHosts returns the hosts of a list of names, which may be only AnyHost.
func NewHosts(names []string) Hosts {
	if len(names) == 1 && names[0] == AnyHost {
		return nil
	}
	h := Hosts{}
	for _, name := range names {
		h.Add(name)
	}
	return h
}

// Add adds a name.
func (h Hosts) Add(name string) {
	if h != nil {
		h[hostName(name)] = true
	}
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

// allow reports whether a request may be for a host: one of the names, a loopback name, or an address, as an address
// cannot be rebound.
func (h Hosts) allow(host string) bool {
	name := hostName(host)
	if h == nil || h[name] || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && !ip.IsUnspecified()
}

// AllowRequest checks a request's Host and the host of its target, which counts if there is one.
func (h Hosts) AllowRequest(host, target []byte) bool {
	if h == nil {
		return true
	}
	if _, rest, absolute := strings.Cut(string(target), "://"); absolute && target[0] != '/' {
		authority, _, _ := strings.Cut(rest, "/")
		authority, _, _ = strings.Cut(authority, "?")
		if !h.allow(authority) {
			return false
		}
	}
	return h.allow(string(host))
}

// ValidHostName reports whether a text can be one of the names: a host without a port.
func ValidHostName(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return s != "" && !strings.ContainsAny(s, ":*") && ValidHost([]byte(s))
}
