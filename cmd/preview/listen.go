// This file determines who can reach the preview.

package main

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

type busyError struct{ addr string }

func (e *busyError) Error() string {
	return e.addr + " is taken by another process\n  hint: stop it, or use another address, e.g. --addr 127.0.0.1:0 for a free port"
}

// private reports whether only this machine can reach an address.
func private(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// reachable returns the host and port for a browser on this machine.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// names returns the hosts that requests may use: the hosts of --host, and a name or address in --addr.
func (o options) names() []string {
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil || host == "" || isAddress(host) {
		return o.hosts
	}
	return append([]string{host}, o.hosts...)
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// allOrigins returns the origins whose pages may read responses: the preview's own under each name, and
// the values of --cors-origin.
func (o options) allOrigins(addr *net.TCPAddr) []string {
	names := append([]string{"localhost", "127.0.0.1", "::1"}, o.names()...)
	if ip := addr.AddrPort().Addr().Unmap(); !ip.IsUnspecified() {
		names = append(names, ip.WithZone("").String())
	}
	var origins []string
	for _, name := range names {
		origins = append(origins, ownOrigin(name, addr.Port))
	}
	return append(origins, o.origins...)
}

func ownOrigin(name string, port int) string {
	host := strings.ToLower(name)
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + ip.String() + "]"
	}
	if port == 80 {
		return "http://" + host
	}
	return "http://" + host + ":" + strconv.Itoa(port)
}
