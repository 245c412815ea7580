// This file decides whether downloads continue after the drain timeout: while another process serves the clients,
// nothing forces this one to end.

package edgeserve

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"

	"contentedge/edgeserve/wire/address"
)

// successorTimeout is the time in which another process has to answer a probe.
const successorTimeout = time.Second

// downloadsMayGoOn returns a function that reports whether downloads continue: for DrainDownloads from the start of the
// drain, while another process answers at the address.
func (s *Server) downloadsMayGoOn(at net.Addr, start time.Time) func() bool {
	var told sync.Once
	return func() bool {
		if time.Since(start) >= s.cfg.DrainDownloads || !s.answers(at) {
			return false
		}
		told.Do(func() {
			s.log.Info("another process serves: downloads continue while clients take them", "at_most", s.cfg.DrainDownloads.String())
		})
		return true
	}
}

// answers reports whether a server answers at an address where this one no longer accepts connections. A connection
// shows nothing: a manager that holds the socket has the kernel accept it.
func (s *Server) answers(at net.Addr) bool {
	ctx, cancel := context.WithTimeout(context.Background(), successorTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, at.Network(), at.String())
	if err != nil {
		return false
	}
	if s.tls != nil {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // it sends nothing that is secret, and believes little
	}
	defer func() { _ = conn.Close() }()
	if conn.SetDeadline(time.Now().Add(successorTimeout)) != nil {
		return false
	}
	if _, err := io.WriteString(conn, "GET "+address.Live.Path()+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		return false
	}
	var begin [len("HTTP/1.1 ")]byte
	_, err = io.ReadFull(conn, begin[:])
	return err == nil && string(begin[:]) == "HTTP/1.1 "
}
