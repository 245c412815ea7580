// This file is the other side of an attack by slow clients: many connections of which
// each does just enough, once a second, not to look dead.

package servebench

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"
)

// attack is one kind of slow client.
type attack struct {
	name    string
	opening string // sent at once
	drip    string // sent over and over, a byte at a time
	buffer  int    // for what it receives; 0: as large as the system likes
}

const (
	slowEvery  = time.Second      // between two touches of a connection
	slowStep   = time.Millisecond // of the clock that spreads them
	slowRead   = 64               // bytes a touch
	slowBuffer = 4 << 10
	slowAsks   = 64 // lists that a slow reader asks for at once
	// slowOpens is how many connections are opened a second. Those that the server cuts
	// come back as evenly: all of them at once would be a flood, which is another attack.
	slowOpens = 500
)

// attacks are all of them; the readers ask for a list.
func attacks(list string) []attack {
	return []attack{
		{name: "slow heads", opening: "GET " + contents + " HTTP/1.1\r\nHost: a\r\n", drip: "X-A: b\r\n"},
		{name: "slow bodies", opening: "POST /cda/es/v1/bench HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{", drip: " "},
		{name: "slow readers", opening: strings.Repeat("GET "+list+" HTTP/1.1\r\nHost: a\r\n\r\n", slowAsks), buffer: slowBuffer},
	}
}

// slowClients are the connections of an attack.
type slowClients struct {
	attack
	addr      string
	conns     []*slowClient
	reopened  int
	stop, end chan struct{}
}

// slowClient is one of them.
type slowClient struct {
	conn net.Conn
	raw  syscall.RawConn
	sent int
}

// begin opens all connections and keeps them busy until finish.
func (a attack) begin(addr string, n int) (*slowClients, error) {
	s := &slowClients{attack: a, addr: addr, stop: make(chan struct{}), end: make(chan struct{})}
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
	clock := time.NewTicker(slowStep)
	defer clock.Stop()
	for begin, next := time.Now(), 0; ; {
		select {
		case <-s.stop:
			return
		case now := <-clock.C:
			due := int(now.Sub(begin).Seconds() / slowEvery.Seconds() * float64(len(s.conns)))
			next = max(next, due-len(s.conns)) // what a busy machine has missed is not made up for
			for ; next < due; next++ {
				s.touch(next % len(s.conns))
			}
		}
	}
}

// touch goes on with a connection, or opens it anew.
func (s *slowClients) touch(i int) {
	c := s.conns[i]
	if c != nil && c.read() == nil && s.dripInto(c) == nil {
		return
	}
	if c != nil {
		c.conn.Close()
		s.reopened++
	}
	s.conns[i], _ = s.open() // refused: another time
}

func (s *slowClients) dripInto(c *slowClient) error {
	if s.drip == "" {
		return nil
	}
	b := s.drip[c.sent%len(s.drip)]
	c.sent++
	return c.write([]byte{b})
}

var errEnded = errors.New("the server has ended the connection")

// read takes a few bytes, if there are any, without waiting.
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

// write sends what there is room for, without waiting.
func (c *slowClient) write(b []byte) (err error) {
	if e := c.raw.Write(func(fd uintptr) bool { _, err = syscall.Write(int(fd), b); return true }); e != nil {
		return e
	}
	if errors.Is(err, syscall.EAGAIN) {
		return nil
	}
	return err
}

// finish ends the attack and tells how many connections had to be opened again.
func (s *slowClients) finish() (reopened int, err error) {
	close(s.stop)
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
