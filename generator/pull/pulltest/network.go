// This file connects clients with an origin: in memory, so that a testing/synctest bubble may hold both
// and all waits are virtual, or on TCP for other processes.

package pulltest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"contentedge/edgeserve/crash"
)

// Host is the host of an origin on connections in memory. All other hosts are foreign.
const Host = "origin.example"

// URL is the address of an origin on connections in memory.
const URL = "http://" + Host

// network has the listeners that clients in memory reach.
type network struct {
	listener, foreign *listener
	secure            *tls.Certificate // for port 443
	down              error            // of every new connection
}

// Start serves the origin on connections in memory until Close.
func (o *Origin) Start() {
	o.closed = make(chan struct{})
	o.network.listener = o.serve(o)
	o.network.foreign = o.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.foreign = append(o.foreign, fmt.Sprintf("%s %s%s %v", r.Method, r.Host, r.URL, r.Header))
		o.mu.Unlock()
		o.ServeHTTP(w, r)
	}))
}

func (o *Origin) serve(h http.Handler) *listener {
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		defer crash.Exit()
		defer close(ended)
		_ = s.Serve(l)
	}()
	o.closing = append(o.closing, func() { _ = s.Close(); <-ended })
	return l
}

// Close ends all connections in memory.
func (o *Origin) Close() {
	close(o.closed)
	for _, f := range o.closing {
		f()
	}
}

// Listen serves the origin on TCP until the test ends, and returns its URL.
func (o *Origin) Listen(t testing.TB) string {
	o.closed = make(chan struct{})
	s := httptest.NewServer(o)
	t.Cleanup(func() { close(o.closed); s.CloseClientConnections(); s.Close() })
	return s.URL
}

// Secure presents a certificate on port 443. A self-signed certificate is a fault: no client knows it.
func (o *Origin) Secure(c tls.Certificate) { o.network.secure = &c }

// Down makes every new connection fail with an error, until Down(nil).
func (o *Origin) Down(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.network.down = err
}

// Dial connects to the origin, or to another host.
func (o *Origin) Dial(ctx context.Context, _, addr string) (net.Conn, error) {
	o.mu.Lock()
	down := o.network.down
	o.mu.Unlock()
	if down != nil {
		return nil, down
	}
	to := o.network.foreign
	host, port, _ := strings.Cut(addr, ":")
	if host == Host {
		to = o.network.listener
	}
	client, server := net.Pipe()
	var accepted net.Conn = server
	if port == "443" && o.network.secure != nil {
		accepted = tls.Server(server, &tls.Config{Certificates: []tls.Certificate{*o.network.secure}})
	}
	select {
	case to.conns <- accepted:
		return client, nil
	case <-to.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
