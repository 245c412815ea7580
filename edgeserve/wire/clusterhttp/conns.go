// This file opens connections and counts them. When a client is closed, net/http may still be
// connecting for a request that has ended: here such connections end at once.

package clusterhttp

import (
	"context"
	"net"
	"sync"

	"contentedge/edgeserve/crash"
)

type conns struct {
	dialer net.Dialer
	ctx    context.Context // ends at close
	cancel context.CancelFunc

	mu      sync.Mutex
	open    map[*conn]struct{} // guarded by mu; nil after close
	dialing sync.WaitGroup     // Add is called with mu held, before close
}

func newConns() *conns {
	c := &conns{dialer: net.Dialer{Timeout: connect}, open: map[*conn]struct{}{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// conn is an open connection.
type conn struct {
	net.Conn
	of *conns
}

// Close forgets the connection.
func (c *conn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (c *conns) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if !c.begin() {
		return nil, errClosed
	}
	defer c.dialing.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, crash.Guarded(cancel))()
	in, err := c.dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	out := &conn{in, c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		_ = in.Close()
		return nil, errClosed
	}
	c.open[out] = struct{}{}
	return out, nil
}

// begin counts a connection that is being opened, unless the client is closed.
func (c *conns) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil {
		c.dialing.Add(1)
	}
	return c.open != nil
}

// close ends all connections, and waits for connections that are being opened.
func (c *conns) close() {
	c.cancel()
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range open {
		_ = conn.Conn.Close()
	}
	c.dialing.Wait()
}
