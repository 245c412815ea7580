// This file sends events to a client, until the client or preview ends.

package page

import (
	"io"
	"net"
	"sync"
	"time"

	"contentedge/edgeserve/crash"
)

type pace struct {
	ping time.Duration // from one sign of life to the next
	take time.Duration // for a client to take an event
}

// standard is the pace outside tests. Proxies end a connection silent for 30 to 60 s. A dropped
// client comes back by itself and reads what it missed.
var standard = pace{ping: 15 * time.Second, take: 30 * time.Second}

const (
	// maxStreams is for many open pages. Each costs a connection and two goroutines.
	maxStreams = 64
	// greeting has a client that is cut off come back after a second.
	greeting = "retry: 1000\n\n"
	ping     = ": ping\n\n"
)

// follow answers with the events from now on, or from the client's last one on.
func (p *Page) follow(r *request) *apiError {
	h := &r.Response.Header
	if r.IsHead() {
		h.SetContentType("text/event-stream")
		return nil
	}
	s := p.open(string(r.Request.Header.Peek("Last-Event-ID")), r.Conn())
	if s == nil {
		return errStreams
	}
	h.SetContentType("text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	// The client sends no more here, so the connection's end shows when it is gone.
	h.SetConnectionClose()
	r.SetBodyStream(s, -1)
	return nil
}

// stream is a body that does not end. The server reads it to send it.
type stream struct {
	page *Page
	conn net.Conn
	gone chan struct{} // closed when the client is gone
	last int           // the number of the event that was sent last
	rest []byte        // what is to be sent before the next event
	once sync.Once
}

// open starts a stream after the event id, which is empty for a new client. It returns nil if too many are open.
func (p *Page) open(id string, conn net.Conn) *stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &p.events
	if e.streams == maxStreams {
		return nil
	}
	e.streams++
	s := &stream{page: p, conn: conn, gone: make(chan struct{}), rest: []byte(greeting)}
	n, known := e.number(id)
	switch {
	case known:
		s.last = n
	case id == "":
		s.last = e.last
		s.rest = append(s.rest, encodeEvent(e.id(e.last), eventState, p.state())...)
	default:
		s.last = e.last
		s.rest = append(s.rest, encodeEvent(e.id(e.last), eventReset, struct{}{})...)
	}
	go s.watch()
	return s
}

// watch waits until the client ends the connection: only by pings, it would notice late.
func (s *stream) watch() {
	defer crash.Exit()
	defer close(s.gone)
	if s.conn.SetReadDeadline(time.Time{}) == nil {
		_, _ = io.Copy(io.Discard, s.conn)
	}
}

// Read waits for what is to be sent next.
func (s *stream) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		if err := s.wait(); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, s.conn.SetWriteDeadline(time.Now().Add(s.page.pace.take))
}

// wait waits for the next event. The stream ends with preview, with the client, and when an event
// was missed: the client comes back, and is told so.
func (s *stream) wait() error {
	timer := time.NewTimer(s.page.pace.ping)
	defer timer.Stop()
	for {
		next, missed, changed := s.next()
		if missed {
			return io.EOF
		}
		if next != nil {
			s.rest = next
			s.last++
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			s.rest = []byte(ping)
			return nil
		case <-s.gone:
			return io.EOF
		case <-s.page.ended:
			return io.EOF
		}
	}
}

// next is the next event, if there is one, and what tells of one to come.
func (s *stream) next() (event []byte, missed bool, changed <-chan struct{}) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	e := &s.page.events
	event, missed = e.after(s.last)
	return event, missed, e.changed
}

// Close ends the stream.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.page.mu.Lock()
		defer s.page.mu.Unlock()
		s.page.events.streams--
	})
	return nil
}
