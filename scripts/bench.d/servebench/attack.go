// This file implements attacks. Slow clients have many connections and do just enough,
// once a second, not to look dead. Busy clients send expensive searches without pause.

package servebench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attack is one kind of client.
type attack struct {
	name    string
	opening string // sent at once
	drip    string // sent repeatedly, a byte at a time
	buffer  int    // receive buffer in bytes; 0: the system's default

	searches []string // requests of busy clients; nil: slow clients
}

// attackers are the clients of an attack.
type attackers interface {
	// finish ends the attack and returns how many connections were reopened.
	finish() (reopened int, err error)
}

const (
	// slowStep is the time between touches of two connections. Go's timers fire at most
	// once a millisecond, so five of 5,000 connections would always be touched
	// together. Independent slow clients are not.
	slowStep   = 150 * time.Microsecond
	slowEvery  = time.Second // between two touches of a connection
	slowRead   = 64          // bytes per touch
	slowBuffer = 4 << 10
	slowAsks   = 64 // requests that a slow reader sends at once
	// slowOpens is the rate of opening connections, per second. Reopening all at once
	// would be a flood, which is another attack.
	slowOpens = 500
)

// attacks are all attacks; the readers request a list.
func attacks(list string) []attack {
	return []attack{
		{name: "slow heads", opening: "GET " + contents + " HTTP/1.1\r\nHost: a\r\n", drip: "X-A: b\r\n"},
		{name: "slow bodies", opening: "POST " + search + " HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{", drip: " "},
		{name: "slow readers", opening: strings.Repeat("GET "+list+" HTTP/1.1\r\nHost: a\r\n\r\n", slowAsks), buffer: slowBuffer},
		{name: "costly searches", searches: costly()},
	}
}

// costlyClients is the number of clients with expensive searches.
const costlyClients = 64

// costly are searches near the work limit: patterns without a prefix on all fields.
func costly() (all []string) {
	for _, letter := range "aeinorst" {
		q := request{method: "POST", path: search, body: fmt.Sprintf(`{"query":{"query_string":{"query":"*%[1]c* OR *%[1]c%[1]c*"}}}`, letter)}
		all = append(all, q.bytes("a", ""))
	}
	return all
}

// slowClients are the connections of an attack.
type slowClients struct {
	attack
	addr     string
	conns    []*slowClient
	reopened int
	stop     atomic.Bool
	end      chan struct{}
}

// slowClient is one connection of slowClients.
type slowClient struct {
	conn net.Conn
	raw  syscall.RawConn
	sent int
}

// begin opens n connections of slow clients, or the connections of busy ones, and keeps them busy
// until finish.
func (a attack) begin(addr string, n int) (attackers, error) {
	if a.searches != nil {
		return beginBusy(addr, a.searches)
	}
	s := &slowClients{attack: a, addr: addr, end: make(chan struct{})}
	clock := time.NewTicker(time.Second / slowOpens)
	defer clock.Stop()
	for range n {
		<-clock.C
		c, err := s.open()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("connection %d of %d: %w", len(s.conns)+1, n, err), s.close())
		}
		s.conns = append(s.conns, c)
	}
	go s.run()
	return s, nil
}

func (s *slowClients) open() (*slowClient, error) {
	d := net.Dialer{Timeout: 10 * time.Second, Control: func(_, _ string, raw syscall.RawConn) (err error) {
		if s.buffer > 0 {
			_ = raw.Control(func(fd uintptr) {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, s.buffer)
			})
		}
		return err
	}}
	conn, err := d.Dial("tcp", s.addr)
	if err != nil {
		return nil, err
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &slowClient{conn: conn, raw: raw}
	return c, c.write([]byte(s.opening))
}

// run touches every connection once in slowEvery, evenly spread.
func (s *slowClients) run() {
	defer close(s.end)
	for begin, next := time.Now(), 0; !s.stop.Load(); {
		pause := unix.NsecToTimeval(slowStep.Nanoseconds())
		_, _ = unix.Select(0, nil, nil, nil, &pause) // interrupted: a shorter pause
		due := int(time.Since(begin).Seconds() / slowEvery.Seconds() * float64(len(s.conns)))
		next = max(next, due-len(s.conns)) // a busy machine skips missed touches
		for ; next < due; next++ {
			s.touch(next % len(s.conns))
		}
	}
}

// touch continues on a connection, or reopens it.
func (s *slowClients) touch(i int) {
	c := s.conns[i]
	if c != nil && c.read() == nil && s.dripInto(c) == nil {
		return
	}
	if c != nil {
		c.conn.Close()
		s.reopened++
	}
	s.conns[i], _ = s.open() // refused: try again later
}

func (s *slowClients) dripInto(c *slowClient) error {
	if s.drip == "" {
		return nil
	}
	b := s.drip[c.sent%len(s.drip)]
	c.sent++
	return c.write([]byte{b})
}

var errEnded = errors.New("the server closed the connection")

// read reads a few bytes without blocking.
func (c *slowClient) read() error {
	var buf [slowRead]byte
	n, err := 0, error(nil)
	if e := c.raw.Read(func(fd uintptr) bool { n, err = syscall.Read(int(fd), buf[:]); return true }); e != nil {
		return e
	}
	if errors.Is(err, syscall.EAGAIN) {
		return nil
	}
	if n == 0 {
		return errors.Join(errEnded, err)
	}
	return err
}

// write writes without blocking.
func (c *slowClient) write(b []byte) (err error) {
	if e := c.raw.Write(func(fd uintptr) bool { _, err = syscall.Write(int(fd), b); return true }); e != nil {
		return e
	}
	if errors.Is(err, syscall.EAGAIN) {
		return nil
	}
	return err
}

func (s *slowClients) finish() (reopened int, err error) {
	s.stop.Store(true)
	<-s.end
	return s.reopened, s.close()
}

func (s *slowClients) close() error {
	var errs []error
	for _, c := range s.conns {
		if c != nil {
			errs = append(errs, c.conn.Close())
		}
	}
	return errors.Join(errs...)
}

// busyClients are the connections of busy clients.
type busyClients struct {
	conns []net.Conn
	all   sync.WaitGroup
}

// beginBusy opens all connections and repeats all searches on each.
func beginBusy(addr string, searches []string) (*busyClients, error) {
	b := new(busyClients)
	for i := range costlyClients {
		conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
		if err != nil {
			_, ended := b.finish()
			return nil, errors.Join(err, ended)
		}
		b.conns = append(b.conns, conn)
		b.all.Go(func() { askForEver(conn, searches, i) })
	}
	return b, nil
}

// askForEver sends searches until the connection ends, starting with number first.
func askForEver(conn net.Conn, searches []string, first int) {
	in := bufio.NewReader(conn)
	for i := first; ; i++ {
		if _, err := io.WriteString(conn, searches[i%len(searches)]); err != nil {
			return
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return
		}
	}
}

func (b *busyClients) finish() (reopened int, err error) {
	for _, conn := range b.conns {
		err = errors.Join(err, conn.Close())
	}
	b.all.Wait()
	return 0, err
}
