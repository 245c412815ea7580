// This file counts connections by client address.

package netlimit

import (
	"net"
	"net/netip"
	"sync"

	"contentedge/edgeserve/serve/clientnet"
)

// Peer is the address of a TCP peer; zero if from is not a TCP address.
func Peer(from net.Addr) netip.AddrPort {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return tcp.AddrPort()
}

// connsPerClient limits the open connections of each TCP peer and of the networks around it. It must be off if a proxy
// connects from one address for all clients.
type connsPerClient struct {
	max int // per client; 0 means no limit

	mu   sync.Mutex
	open clientnet.Counts // guarded by mu
}

// admit counts a connection until release is called. It returns false if a limit is reached.
func (p *connsPerClient) admit(from net.Addr) (release func(), ok bool) {
	addr := Peer(from).Addr()
	if p.max == 0 || !addr.IsValid() {
		return func() {}, true
	}
	client := clientnet.Of(addr)
	p.mu.Lock()
	defer p.mu.Unlock()
	for level := range client.Levels() {
		if n := client.Network(level); p.open.Of(n) >= p.max*n.Weight() {
			return nil, false
		}
	}
	p.open.Add(client, 1)
	return func() { p.release(client) }, true
}

func (p *connsPerClient) release(client clientnet.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open.Add(client, -1)
}
