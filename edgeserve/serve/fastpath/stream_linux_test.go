package fastpath

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// testStream is a body of size bytes, of which length exist.
type testStream struct {
	io.Reader
	size   int64
	closed *atomic.Int64
}

func newTestStream(size, length int, closed *atomic.Int64) *testStream {
	return &testStream{strings.NewReader(strings.Repeat("s", length)), int64(size), closed}
}

func (s *testStream) Size() int64 { return s.size }

func (s *testStream) Close() error {
	s.closed.Add(1)
	return nil
}

// A streamed body arrives whole, and the loop answers what follows it. A body that ends early ends
// the connection. A client that reads nothing ends with the write timeout. Each stream is closed,
// and each response done, once.
func TestStream(t *testing.T) {
	const size = 5 << 20 // above what the kernel buffers for a sender
	var closed, done atomic.Int64
	cfg := config()
	cfg.Write = 200 * time.Millisecond
	cfg.Compute = func(r *Request, _ time.Time, leaveLoop func()) (Response, bool) {
		leaveLoop()
		leaveLoop() // a further call does nothing
		length := size
		if strings.HasSuffix(string(r.Target), "short") {
			length = size / 2
		}
		return Response{
			Status: 200, StatusLine: "HTTP/1.1 200 OK\r\n", Fields: []byte("Content-Length: " + strconv.Itoa(size) + "\r\n"),
			Stream: newTestStream(size, length, &closed), Done: func() { done.Add(1) },
		}, true
	}
	addr := serve(t, listen(t, cfg))
	const get = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
	head := "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(size) + "\r\n\r\n"

	whole := head + strings.Repeat("s", size)
	if got := exchange(t, addr, []string{get + knownGet + get}); got != whole+shortResponse+whole {
		t.Errorf("a stream, a known response and a stream are %d bytes", len(got))
	}
	conn := dial(t, "tcp", addr)
	if _, err := io.WriteString(conn, "GET /stream-short HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(conn); err != nil && !errors.Is(err, net.ErrClosed) || len(stripDates(string(b))) != len(head)+size/2 {
		t.Errorf("a short stream: %d bytes, %v", len(b), err)
	}
	idle := dial(t, "tcp", addr)
	if _, err := io.WriteString(idle, get); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); closed.Load() < 4 || done.Load() < 4; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d streams are closed and %d responses done", closed.Load(), done.Load())
		}
	}
	if closed.Load() != 4 || done.Load() != 4 {
		t.Errorf("%d streams are closed and %d responses done", closed.Load(), done.Load())
	}
}
