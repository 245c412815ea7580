// This file counts the connections of each address, so that one client cannot take all
// that there are. Behind a proxy all clients have one address: then it is off.

package edgeserve

import (
	"net"
	"net/netip"
	"sync"
)

// peers counts open connections by address.
type peers struct {
	limit int // of one address; 0: none

	mu   sync.Mutex
	open map[netip.Addr]int // guarded by mu; those with none are not in it
}

// admit counts a connection from an address until leave is called. False means that the
// address has as many as it may.
func (p *peers) admit(from net.Addr) (leave func(), ok bool) {
	tcp, ok := from.(*net.TCPAddr)
	if p.limit == 0 || !ok {
		return func() {}, true
	}
	addr := tcp.AddrPort().Addr().Unmap()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr] >= p.limit {
		return nil, false
	}
	if p.open == nil {
		p.open = map[netip.Addr]int{}
	}
	p.open[addr]++
	return func() { p.leave(addr) }, true
}

func (p *peers) leave(addr netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr]--; p.open[addr] == 0 {
		delete(p.open, addr)
	}
}
