// This file is what the engine accepts connections from.

package wire

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Listener accepts connections and answers on them what it can; Accept returns those that
// have a request for the engine. Close lets no more connections in, Drain also ends what is
// idle, and Stop everything. Accept ends when no connection is left.
type Listener struct {
	net.Listener
	cfg Config
	parser
	clock
	draining atomic.Bool
	pollers  []*poller
	pollings sync.WaitGroup // one for each poller, whoever runs it
	buffers  sync.Pool      // for pollers
	accepts  sync.WaitGroup

	lingering atomic.Int64 // connections that do

	open atomic.Int64  // connections, and one while more are accepted
	done chan struct{} // closed when there are none of them

	mu    sync.Mutex
	offer sync.Cond // of mu; there is a loan, or there will be none
	loans []*loan   // that the engine has not accepted; guarded by mu
}

// Listen wraps a listener of Sockets, or one whose connections have such a socket as their
// NetConn. It closes it.
func Listen(ln net.Listener, cfg Config) (*Listener, error) {
	l, err := newListener(ln, cfg)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	for _, p := range l.pollers {
		p.start()
	}
	l.accepts.Go(l.acceptAll)
	return l, nil
}

// newListener makes a listener that does nothing yet.
func newListener(ln net.Listener, cfg Config) (*Listener, error) {
	l := &Listener{Listener: ln, cfg: cfg, parser: newParser(cfg.Deciding), done: make(chan struct{})}
	l.offer.L = &l.mu
	l.buffers.New = func() any { return newBuffers(cfg.HeadLimit) }
	l.open.Store(1)
	for range runtime.GOMAXPROCS(0) {
		p, err := newPoller(l)
		if err != nil {
			for _, p := range l.pollers {
				err = errors.Join(err, p.epoll.Close())
			}
			return nil, err
		}
		l.pollers = append(l.pollers, p)
	}
	return l, nil
}

// acceptAll gives each poller its share of the connections.
func (l *Listener) acceptAll() {
	defer l.leave()
	for i := 0; ; i++ {
		inner, err := l.Listener.Accept()
		if err != nil {
			return
		}
		if err := l.pollers[i%len(l.pollers)].add(inner); err != nil {
			l.cfg.Log.Error("a connection is lost", "error", err)
		}
	}
}

// socketOf returns the socket that a connection is or wraps.
func socketOf(c net.Conn) *socket {
	for {
		switch inner := c.(type) {
		case *socket:
			return inner
		case interface{ NetConn() net.Conn }:
			c = inner.NetConn()
		default:
			return nil
		}
	}
}

// Accept returns the next connection that has something for the engine.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.loans) == 0 {
		if l.isDone() {
			return nil, net.ErrClosed
		}
		l.offer.Wait()
	}
	first := l.loans[0]
	l.loans = slices.Delete(l.loans, 0, 1)
	return first, nil
}

// hand has the engine accept a loan.
func (l *Listener) hand(loan *loan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loans = append(l.loans, loan)
	l.offer.Signal()
}

// leave counts a connection no longer.
func (l *Listener) leave() {
	if l.open.Add(-1) > 0 {
		return
	}
	close(l.done)
	for _, p := range l.pollers {
		p.wake(time.Now())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offer.Broadcast()
}

func (l *Listener) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Drain lets no more connections in and closes those that wait for another request.
// Requests that arrive from now on are the engine's, which knows how to end a connection
// politely.
func (l *Listener) Drain() {
	l.draining.Store(true)
	l.refuse()
	for _, p := range l.pollers {
		for _, c := range p.all() {
			p.again(c)
		}
		p.wake(time.Now())
	}
}

// Stop returns when no connection is left. It closes those that are there when ctx ends,
// whatever they are at, and returns why it did.
func (l *Listener) Stop(ctx context.Context) (err error) {
	l.refuse()
	select {
	case <-l.done:
	case <-ctx.Done():
		err = ctx.Err()
		for _, p := range l.pollers {
			for _, c := range p.all() {
				c.end()
			}
		}
	}
	l.pollings.Wait()
	return err
}

// refuse lets no more connections in. Those that were let in are there when it returns.
func (l *Listener) refuse() {
	_ = l.Close()
	l.accepts.Wait()
}
