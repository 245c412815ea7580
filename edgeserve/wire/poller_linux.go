// This file is the loop that learns what has happened to connections.

package wire

import (
	"errors"
	"fmt"
	"math/bits"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// poller serves its share of a listener's connections on one goroutine at a time. It has a
// poller of the system's of its own, which it asks without waiting. To wait it has the Go
// runtime's poller watch that one, so that to the runtime it is a goroutine that reads from
// a file.
//
// What has a prepared answer is answered as it is read. Other answers are made when all that
// has been. While one takes long, another goroutine takes the poller over.
//
// The runtime could watch the connections itself, with a goroutine for each. But it wakes
// the goroutines of those that something has come for at once in the reverse order, and
// each has a stack.
type poller struct {
	l       *Listener
	epoll   *os.File // its poller of the system's; only run closes it
	raw     syscall.RawConn
	fd      int
	events  [look]unix.EpollEvent
	told    [look]*conn
	waiting []waiter // from first on
	first   int
	served  int // events since others could run
	sweepAt time.Time
	swept   int // how many sweep has looked at, of all

	mu    sync.Mutex
	conns []*conn // by descriptor, nil where there is none; as long as it ever was; guarded by mu
	next  []*conn // to be looked at again; guarded by mu
}

// waiter is a connection whose request waits for an answer to be made, and since when.
type waiter struct {
	c     *conn
	since time.Time
}

const (
	// look is how many events a poller takes at once, and after how many it lets other
	// goroutines run.
	look = 128
	// tick is how often it looks whether a connection's time is over. It looks at few of them
	// at a time, or one of many parts: thousands that end at once would keep the others
	// waiting. Those whose descriptors are in a row often began together, and would end
	// together, so it takes them with a stride; that is odd, to come by all of them.
	tick   = time.Second
	few    = 16
	many   = 1024
	stride = 0x9e3779b1
	// spell is for how long a poller makes answers before it sends them, lets other
	// goroutines run and looks what else has happened.
	spell = 100 * time.Microsecond
)

func newPoller(l *Listener) (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	// Only what does not block is given to the runtime's poller.
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), unix.Close(fd))
	}
	p := &poller{l: l, epoll: os.NewFile(uintptr(fd), "epoll"), fd: fd}
	if p.raw, err = p.epoll.SyscallConn(); err != nil {
		return nil, errors.Join(err, p.epoll.Close())
	}
	return p, nil
}

// start serves connections until the listener is done.
func (p *poller) start() {
	p.l.pollings.Add(1)
	go p.run()
}

// run serves connections until the listener is done or an answer takes long to make: then
// another goroutine runs it.
func (p *poller) run() {
	b := p.l.buffers.Get().(*buffers)
	n := 0
	arrived := func(uintptr) bool {
		n = p.poll()
		return n > 0
	}
	for !p.l.isDone() {
		n = 0
		next := p.takeNext()
		if len(next)+len(p.waiting) > 0 {
			n = p.poll()
		} else if p.raw.Read(arrived) != nil { // woken
			p.wake(p.sweepAt)
		}
		p.tell(n, b)
		p.lookAgain(next, b)
		if b.now = time.Now(); !b.now.Before(p.sweepAt) {
			p.sweepAt = b.now.Add(p.sweep(b.now))
			p.wake(p.sweepAt)
		}
		made := p.makeAnswers(b)
		if b.left {
			b.left = false
			p.l.buffers.Put(b)
			return
		}
		if p.served += n + len(next); p.served >= look || made > 0 {
			p.served = 0
			runtime.Gosched()
		}
	}
	_ = p.epoll.Close()
	p.l.pollings.Done()
}

// makeLater has an answer made for the request of a connection, which is there since a time.
func (p *poller) makeLater(c *conn, since time.Time) {
	p.l.cfg.Making.Add(1)
	p.waiting = append(p.waiting, waiter{c, since})
}

// makeAnswers makes answers for a spell, in the order in which they were asked for, sends
// them and returns how many. The poller is another goroutine's when b has left it.
func (p *poller) makeAnswers(b *buffers) (made int) {
	for end := b.now.Add(spell); p.first < len(p.waiting) && (made == 0 || b.now.Before(end)); made++ {
		w := p.waiting[p.first]
		p.first++
		w.c.makeAnswer(w.since, b)
		if b.left || b.full() || len(p.waiting)-p.first < crowd {
			b.sendAll()
		}
		if b.left {
			return made
		}
	}
	b.sendAll()
	if p.first > len(p.waiting)/2 {
		p.waiting, p.first = slices.Delete(p.waiting, 0, p.first), 0
	}
	return made
}

// poll asks the system what has happened, and how many events that is.
func (p *poller) poll() int {
	n, err := pollNow(p.fd, p.events[:])
	for err == syscall.EINTR {
		n, err = pollNow(p.fd, p.events[:])
	}
	return n
}

// tell tells the connections what has happened, in the order in which it did.
func (p *poller) tell(n int, b *buffers) {
	p.mu.Lock()
	for i, e := range p.events[:n] {
		p.told[i] = p.conns[e.Fd]
	}
	p.mu.Unlock()
	for i, c := range p.told[:n] {
		// It may have been closed meanwhile, and its descriptor be another's, who then
		// finds by reading that nothing has happened.
		if c != nil {
			c.happened(p.events[i].Events, b)
		}
	}
	clear(p.told[:n])
}

// add serves a connection from now on, or closes it.
func (p *poller) add(inner net.Conn) error {
	s := socketOf(inner)
	if s == nil {
		return errors.Join(fmt.Errorf("a %T is no socket", inner), inner.Close())
	}
	p.l.open.Add(1)
	c := &conn{Conn: inner, fd: s.fd, l: p.l, poller: p, readBy: time.Now().Add(p.l.cfg.Head)}
	p.set(c.fd, c)
	// The system tells of each thing that happens once, when it does.
	if err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(c.fd),
	}); err != nil {
		c.end()
		return os.NewSyscallError("epoll_ctl", err)
	}
	return nil
}

// again has a connection looked at again, though nothing more may happen to it, when those
// have been that something has happened to. From another goroutine, wake the poller then.
func (p *poller) again(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.queued {
		c.queued = true
		p.next = append(p.next, c)
	}
}

// lookAgain looks at connections for which something may have come that is not told yet.
func (p *poller) lookAgain(next []*conn, b *buffers) {
	for _, c := range next {
		c.happened(unix.EPOLLIN, b)
	}
}

// takeNext returns those that are to be looked at again.
func (p *poller) takeNext() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next
	p.next = nil
	for _, c := range next {
		c.queued = false
	}
	return next
}

// set has the connection of a descriptor; nil: it has none any more.
func (p *poller) set(fd int, c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if missing := fd + 1 - len(p.conns); missing > 0 {
		p.conns = append(p.conns, make([]*conn, missing)...)
	}
	p.conns[fd] = c
}

// all returns the connections that there are.
func (p *poller) all() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.conns), func(c *conn) bool { return c == nil })
}

// sweep ends what has taken too long among the connections whose turn it is to be looked
// at, and returns after what time it is that of the next.
func (p *poller) sweep(now time.Time) time.Duration {
	var room [few]*conn
	some := room[:0]
	p.mu.Lock()
	all := 1 << bits.Len(uint(max(len(p.conns), few)-1)) // a power of two, for the stride
	n := max(all/many, few)
	for range n {
		if i := int(uint32(p.swept)*stride) & (all - 1); i < len(p.conns) && p.conns[i] != nil {
			some = append(some, p.conns[i])
		}
		p.swept = (p.swept + 1) & (all - 1)
	}
	p.mu.Unlock()
	for _, c := range some {
		c.expire(now)
	}
	return tick * time.Duration(n) / time.Duration(all)
}

// wake ends the wait for events at a time, and the next one if there is none now.
func (p *poller) wake(at time.Time) { _ = p.epoll.SetReadDeadline(at) }
