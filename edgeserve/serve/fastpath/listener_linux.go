// This file is the net.Listener that Fiber accepts handoffs from.

package fastpath

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
)

// Listener serves connections in event loops. Accept returns connections with a request for Fiber, and fails once no
// connection is left. Close stops accepting, Drain ends connections one by one, Stop all.
type Listener struct {
	net.Listener
	cfg      ListenerConfig
	parser   parser
	date     dateCache
	draining atomic.Bool
	grace    time.Duration // of idle connections; set before draining
	loops    []*eventLoop
	running  sync.WaitGroup // event loops
	buffers  sync.Pool      // of *buffers
	accepts  sync.WaitGroup // acceptAll

	lingering atomic.Int64 // lingering connections
	idle      idleQueue    // for acceptAll

	open atomic.Int64  // connections, plus one while acceptAll runs
	done chan struct{} // closed when open is 0

	mu           sync.Mutex
	handoffReady sync.Cond      // of mu: handoffs has one, or the listener is done
	handoffs     []*handoffConn // that Fiber has not accepted; guarded by mu
}

// Listen wraps a listener from Sockets, or one whose connections wrap its sockets and have NetConn.
// The Listener closes it; so does Listen if it fails.
func Listen(ln net.Listener, cfg ListenerConfig) (*Listener, error) {
	l, err := newListener(ln, cfg)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	for _, loop := range l.loops {
		loop.start()
	}
	l.accepts.Go(crash.Guarded(l.acceptAll))
	return l, nil
}

func newListener(ln net.Listener, cfg ListenerConfig) (*Listener, error) {
	l := &Listener{Listener: ln, cfg: cfg, parser: newParser(cfg.BypassHeaders), done: make(chan struct{})}
	l.handoffReady.L = &l.mu
	l.buffers.New = func() any { return newBuffers(cfg.HeadLimit) }
	l.open.Store(1)
	for range runtime.GOMAXPROCS(0) {
		loop, err := newEventLoop(l)
		if err != nil {
			for _, loop := range l.loops {
				err = errors.Join(err, loop.epoll.Close())
			}
			return nil, err
		}
		l.loops = append(l.loops, loop)
	}
	return l, nil
}

func (l *Listener) acceptAll() {
	defer l.connClosed()
	for i := 0; ; i++ {
		inner, err := l.Listener.Accept()
		if err != nil {
			return
		}
		if err := l.loops[i%len(l.loops)].add(inner); err != nil {
			l.cfg.Log.Error("cannot serve a connection", "error", err)
		}
	}
}

// Accept returns the next handoff.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.handoffs) == 0 {
		if l.isDone() {
			return nil, net.ErrClosed
		}
		l.handoffReady.Wait()
	}
	first := l.handoffs[0]
	l.handoffs = slices.Delete(l.handoffs, 0, 1)
	return first, nil
}

func (l *Listener) enqueue(h *handoffConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handoffs = append(l.handoffs, h)
	l.handoffReady.Signal()
}

// connClosed counts a closed connection. The last one ends the event loops and Accept.
func (l *Listener) connClosed() {
	if l.open.Add(-1) > 0 {
		return
	}
	close(l.done)
	for _, loop := range l.loops {
		loop.wake(time.Now())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handoffReady.Broadcast()
}

func (l *Listener) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Drain ends connections one by one, also connections accepted from now on. Requests go to Fiber, which must answer
// with Connection: close. A connection closes when it has been idle for grace, counted from the call or from its last
// response, whichever is later.
func (l *Listener) Drain(grace time.Duration) {
	l.grace = grace
	l.draining.Store(true)
	for _, loop := range l.loops {
		for _, c := range loop.openConns() {
			loop.queue(c)
		}
		loop.wake(time.Now())
	}
}

// Stop stops accepting from clients and returns when no connection is left. When ctx ends, it closes the connections
// that send nothing, and the rest when they stop sending or more returns false; then it returns ctx's error.
func (l *Listener) Stop(ctx context.Context, more func() bool) error {
	l.stopAccepting()
	s := stopping[*conn]{done: l.done, open: l.openConns}
	err := s.await(ctx, more)
	l.running.Wait()
	return err
}

func (l *Listener) openConns() (all []*conn) {
	for _, loop := range l.loops {
		all = append(all, loop.openConns()...)
	}
	return all
}

// stopAccepting closes the wrapped listener. Then the event loops have all accepted connections.
func (l *Listener) stopAccepting() {
	_ = l.Close()
	l.accepts.Wait()
}
