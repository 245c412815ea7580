// This file tests chunked bodies.

package fastpath

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"
)

const chunkedHead = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

// chunks is a body of n bytes in chunks of size bytes.
func chunks(n, size int) string {
	var b strings.Builder
	for ; n > 0; n -= size {
		k := min(n, size)
		fmt.Fprintf(&b, "%x\r\n%s\r\n", k, strings.Repeat("b", k))
	}
	return b.String() + "0\r\n\r\n"
}

// A request with a chunked body is handed off when complete, alone, and its connection is
// reclaimed.
func TestChunkedBodies(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "0\r\n\r\n", "short": chunks(3, 3), "longer than a head": chunks(8000, 3000), "of many chunks": chunks(2000, 1),
		"extensions and trailers": "1;a=\"b\"\r\nb\r\n0\r\nX: y\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			request := chunkedHead + body
			for _, size := range []int{len(request) - 1, 1000, 7} {
				s := newSteppedLoop(t, config())
				c, client := s.connect()
				for at := 0; at < len(request)-1; at += size {
					if c.state != active {
						t.Fatalf("handed off after %d of %d bytes", at, len(request))
					}
					s.send(c, client, request[at:min(at+size, len(request)-1)])
				}
				if _, err := io.WriteString(client, request[len(request)-1:]+knownGet); err != nil {
					t.Fatal(err)
				}
				serveOneAndClose(t, s.accepted(), request)
				want := "one" + knownReply
				b := make([]byte, len(want))
				s.stepUntil("the next request is answered", func() bool { return c.state == active && c.in == nil && c.chunks == nil && c.requestSize == 0 })
				if _, err := io.ReadFull(client, b); err != nil || stripDates(string(b)) != stripDates(want) {
					t.Errorf("%q, %v", b, err)
				}
			}
		})
	}
}

// refusalOf sends parts, and returns the response to them up to EOF.
func refusalOf(s steppedLoop, end bool, parts ...string) (heard string) {
	s.t.Helper()
	c, client := s.connect()
	for _, part := range parts {
		s.send(c, client, part)
	}
	if end {
		_ = client.CloseWrite()
	}
	s.stepUntil("it is refused", func() bool { return c.state == lingering || c.state == closed })
	if c.reserved != 0 {
		s.t.Errorf("%d bytes of a refused request are reserved", c.reserved)
	}
	if _, err := io.WriteString(client, knownGet); !end && err != nil {
		s.t.Fatal(err)
	}
	b, err := io.ReadAll(client)
	if err != nil {
		s.t.Errorf("%q, then %v", b, err)
	}
	client.Close()
	s.stepUntil("it is closed", func() bool { return c.state == closed })
	if c.chunks != nil || len(s.handoffs) > 0 {
		s.t.Errorf("%d handoffs", len(s.handoffs))
	}
	return string(b)
}

// A malformed or overlong chunked body is refused at its first wrong byte, and nothing
// behind it is answered.
func TestChunkedRefusals(t *testing.T) {
	long := config().MaxBody
	for _, c := range []struct {
		name  string
		parts []string
		end   bool
		want  error
	}{
		{"LF at the end", []string{chunkedHead + "0\r\n\n"}, false, ErrFraming},
		{"LF at the end in parts", []string{chunkedHead, "0\r", "\n", "\n"}, false, ErrFraming},
		{"LF behind a size", []string{chunkedHead, "0\n\r\n"}, false, ErrFraming},
		{"LF behind the data", []string{chunkedHead + "1\r\na", "\n0\r\n\r\n"}, false, ErrFraming},
		{"cut off", []string{chunkedHead + "0\r\n"}, true, ErrFraming},
		{"a size that is too long", []string{chunkedHead, fmt.Sprintf("%x\r\n", long+1)}, false, bodies.ErrTooLong},
		{"sizes that are too long", []string{chunkedHead, fmt.Sprintf("%x\r\n%s\r\n2\r\n", long-1, strings.Repeat("b", long-1))}, false, bodies.ErrTooLong},
		{"all of it too long", []string{chunkedHead + "1;" + strings.Repeat("x", 3000), strings.Repeat("x", 90) + "\r\na\r\n" + chunks(4000, 1)}, false, bodies.ErrTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config()
			var reserved atomic.Int64
			cfg.ReserveRequest = func(from, to int64) bool { reserved.Add(to - from); return true }
			cfg.ErrorResponse = func(why error, _ net.Addr) []byte {
				var body *BodyError
				if !errors.As(why, &body) || string(body.Head) != chunkedHead {
					t.Errorf("ErrorResponse gets %v", why)
				}
				return errorText(why, nil)
			}
			if got := refusalOf(newSteppedLoop(t, cfg), c.end, c.parts...); got != c.want.Error() {
				t.Errorf("the client gets %q, want %q", got, c.want)
			}
			if reserved.Load() != 0 {
				t.Errorf("%d bytes are reserved", reserved.Load())
			}
		})
	}
}

// A chunked body in progress is accounted for, and has the timeout of a body.
func TestChunkedBounds(t *testing.T) {
	cfg := config()
	cfg.Body = 2 * hour
	var reserved atomic.Int64
	cfg.ReserveRequest = func(from, to int64) bool { reserved.Add(to - from); return reserved.Load() < 6000 }
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	start := time.Now()
	s.send(c, client, chunkedHead+"1f40\r\n")
	assertDeadline(t, "the body", c.readDeadline, start, cfg.Body)
	by := c.readDeadline
	s.send(c, client, strings.Repeat("b", 3000))
	s.send(c, client, strings.Repeat("b", 2000))
	if int(reserved.Load()) != len(c.in) || !c.readDeadline.Equal(by) {
		t.Errorf("%d of %d bytes are reserved, for %s", reserved.Load(), len(c.in), c.readDeadline.Sub(by))
	}
	s.sweep(by.Add(time.Minute))
	if b, err := io.ReadAll(client); string(b) != os.ErrDeadlineExceeded.Error() || err != nil {
		t.Errorf("after its deadline %q, %v", b, err)
	}
	if reserved.Load() != 0 {
		t.Errorf("%d bytes are reserved", reserved.Load())
	}
	if got := refusalOf(s, false, chunkedHead+"1f40\r\n", strings.Repeat("b", 4500), strings.Repeat("b", 3000)); got != bodies.ErrNoMemory.Error() {
		t.Errorf("without memory %q", got)
	}
}

// A chunked request that Fiber rejects whatever its body is, or with an expectation, is
// handed off for good at once.
func TestChunkedHandOffs(t *testing.T) {
	for name, fields := range map[string]string{"rejected": "", "expected": "Expect: 100-continue\r\n"} {
		cfg := config()
		cfg.RejectsBody = func(r *Request) bool { return name == "rejected" && string(r.Target) == "/x" }
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		request := strings.Replace(chunkedHead, "Host", fields+"Host", 1)
		s.send(c, client, request)
		fiber := s.accepted()
		if b := make([]byte, len(request)); c.state != detached || EndIsKnown(fiber) {
			t.Errorf("%s: state %d", name, c.state)
		} else if _, err := io.ReadFull(fiber, b); err != nil || string(b) != request {
			t.Errorf("%s: reads %q, %v", name, b, err)
		}
	}
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	s.send(c, client, chunkedHead+"0\r\n\r\n")
	if fiber := s.accepted(); !EndIsKnown(fiber) {
		t.Error("a connection is detached for one request")
	}
	if c.state != borrowed || EndIsKnown(net.Conn(client)) {
		t.Errorf("state %d", c.state)
	}
}

// RejectsBody gets the target of its own request, also behind a body that was gathered.
func TestRejectsBodyBehindBody(t *testing.T) {
	cfg := config()
	cfg.RejectsBody = func(r *Request) bool {
		if target := string(r.Target); target != "/echo" && target != "/x" {
			t.Errorf("RejectsBody gets %q", target)
		}
		return false
	}
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	s.send(c, client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
	s.send(c, client, "G"+strings.Replace(chunkedHead, "Host", strings.Repeat("X: y\r\n", 99)+"Host", 1))
	s.stepUntil("the next body is awaited", func() bool { return c.requestSize == unknownSize })
}
