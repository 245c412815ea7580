// This file counts connections by client address.

package netlimit

import (
	"net"
	"net/netip"
	"sync"
)

const ipv6Client = 64 // prefix length that identifies an IPv6 client

// Peer is the address of a TCP peer; zero if from is no TCP address.
func Peer(from net.Addr) netip.AddrPort {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return tcp.AddrPort()
}

// Client is ClientOf for a TCP peer; zero if from is no TCP address.
func Client(from net.Addr) netip.Addr { return ClientOf(Peer(from).Addr()) }

// ClientOf identifies a client by its IPv4 address or IPv6 /64. All limits count by it.
func ClientOf(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if addr.Is6() {
		p, _ := addr.Prefix(ipv6Client)
		return p.Addr()
	}
	return addr
}

// connsPerClient limits open connections per TCP peer. It must be off behind a proxy's one address.
type connsPerClient struct {
	max int // per client; 0: no limit

	mu   sync.Mutex
	open map[netip.Addr]int // guarded by mu; without zero counts
}

// admit counts a connection until release is called. It returns false if a limit is reached.
func (p *connsPerClient) admit(from net.Addr) (release func(), ok bool) {
	addr := Client(from)
	if p.max == 0 || !addr.IsValid() {
		return func() {}, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr] >= p.max {
		return nil, false
	}
	if p.open == nil {
		p.open = map[netip.Addr]int{}
	}
	p.open[addr]++
	return func() { p.release(addr) }, true
}

func (p *connsPerClient) release(addr netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr]--; p.open[addr] == 0 {
		delete(p.open, addr)
	}
}
