// This file counts the connections of each address, so that one client cannot take all
// that there are. Behind a proxy all clients have one address: then it is off.

package edgeserve

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// peers counts open connections by address.
type peers struct {
	limit int // of one address; 0: none

	mu   sync.Mutex
	open map[netip.Addr]int // guarded by mu; those with none are not in it
}

// admit counts a connection until it is closed. False means that its address has as
// many as it may.
func (p *peers) admit(conn net.Conn) (net.Conn, bool) {
	if p.limit == 0 {
		return conn, true
	}
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return conn, true
	}
	addr := tcp.AddrPort().Addr().Unmap()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr] >= p.limit {
		return conn, false
	}
	if p.open == nil {
		p.open = map[netip.Addr]int{}
	}
	p.open[addr]++
	return &peerConn{Conn: conn, left: func() { p.leave(addr) }}, true
}

func (p *peers) leave(addr netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[addr]--; p.open[addr] == 0 {
		delete(p.open, addr)
	}
}

// peerConn is a connection that says when it is closed, once.
type peerConn struct {
	net.Conn
	once sync.Once
	left func()
}

// SyscallConn is that of the connection, if it has one.
func (c *peerConn) SyscallConn() (syscall.RawConn, error) {
	if inner, ok := c.Conn.(syscall.Conn); ok {
		return inner.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection and ends its being counted.
func (c *peerConn) Close() error {
	c.once.Do(c.left)
	return c.Conn.Close()
}
