//go:build !linux

package wire

import (
	"context"
	"net"
)

// Sockets returns the listener.
func Sockets(ln net.Listener) (net.Listener, error) { return ln, nil }

// Listener is a listener whose connections are the engine's from their start.
type Listener struct{ net.Listener }

// Listen wraps a listener.
func Listen(ln net.Listener, _ Config) (*Listener, error) { return &Listener{ln}, nil }

// Drain ends Accept. What is idle is the engine's to end.
func (l *Listener) Drain() { _ = l.Close() }

// Stop ends Accept. What is answered is the engine's to wait for.
func (l *Listener) Stop(context.Context) error { return l.Close() }
