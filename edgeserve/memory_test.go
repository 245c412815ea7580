package edgeserve

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(patient); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("never: " + what)
		}
	}
}

// reader is a client that asks and does not read; the kernel buffers little for it.
func reader(t *testing.T, addr, method, target string) net.Conn {
	t.Helper()
	return readerFrom(t, "127.0.0.1", addr, method, target)
}

// readerFrom is reader at an address of its own.
func readerFrom(t *testing.T, from, addr, method, target string) net.Conn {
	t.Helper()
	small := func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10) })
	}
	conn, err := (&net.Dialer{Control: small, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: a\r\n\r\n", method, target); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Clients that do not read are given bodies up to the budget, the others a 503; what
// they held comes back when they are gone, and those who read are served again.
func TestSlowReaders(t *testing.T) {
	big := site
	big.note = strings.Repeat("x", 5<<20) // above what a kernel buffers for a sender
	dir := t.TempDir()
	big.write(t, dir)
	const budget = 37 << 20
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public, c.ResponseBytes = dir, budget
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, target string
		readers              int   // that find room
		each                 int64 // what a body takes
		bodies               int   // that readers share; 0: each has its own
	}{
		{"list without a file", "GET", listRoot + "?page=2", 3, int64(len(big.list(5, 2, 3))), 0},
		{"search", "POST", esRoot + "?Page=1&PageSize=2", 3, int64(len(big.list(5, 0, 1))), 0},
		{"search asked again", "POST", esRoot + "?Page=1&PageSize=1", 20, int64(len(big.list(5, 0))), 2},
		{"file", "GET", listRoot + "/Content_1", 20, int64(len(big.item(1))), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var conns []net.Conn
			for i := range c.readers {
				conns = append(conns, readerFrom(t, fmt.Sprintf("127.0.0.%d", i+2), addr, c.method, c.target))
				want := budget - c.each*int64(i+1)
				if c.bodies > 0 {
					want = budget - c.each*int64(min(i+1, c.bodies))
				}
				waitFor(t, "the reader's body is taken", func() bool { return s.resources.Memory.Left() == want })
			}
			if a, body := ask(t, addr, c.method, c.target, "", ""); c.bodies == 0 && (a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || !strings.Contains(body, `"overloaded"`)) || c.bodies > 0 && a.StatusCode != 200 {
				t.Errorf("one more: %d", a.StatusCode)
			}
			if a, _ := ask(t, addr, "HEAD", c.target, "", ""); c.method == "GET" && c.bodies > 0 && a.StatusCode != 200 {
				t.Errorf("HEAD: %d", a.StatusCode)
			}
			if a, _ := ask(t, addr, "GET", "/livez", "", ""); a.StatusCode != 200 {
				t.Errorf("a short answer: %d", a.StatusCode)
			}
			first := conns[0]
			resp, err := http.ReadResponse(bufio.NewReader(first), nil)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != c.each {
				t.Errorf("read %d bytes of %d: %v", n, c.each, err)
			}
			for _, conn := range conns {
				_ = conn.Close()
			}
			waitFor(t, "all is given back", func() bool { return s.resources.Memory.Left() == budget })
		})
	}
}

// However a large answer ends, what it took comes back.
func TestMemoryComesBack(t *testing.T) {
	big := site
	big.note = strings.Repeat("many words ", bodies.Large/4)
	dir := t.TempDir()
	big.write(t, dir)
	coded(t, dir, firstPage, contentcoding.Gzip)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.CacheBytes = dir, 1<<20 })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_1", listRoot + "?pageSize=5"} {
		whole, body := ask(t, addr, "GET", target, "", "")
		if whole.StatusCode != 200 || len(body) < bodies.Large {
			t.Fatalf("%s: %d, %d bytes", target, whole.StatusCode, len(body))
		}
		for _, method := range []string{"GET", "HEAD"} {
			for _, fields := range []string{"", "If-None-Match: *\r\n", "Range: bytes=5-9\r\n", "Range: bytes=99999999-\r\n", "Accept-Encoding: gzip\r\n", "Accept-Encoding: gzip\r\nIf-None-Match: *\r\n"} {
				a, got := ask(t, addr, method, target, fields, "")
				if a.StatusCode >= 500 || a.StatusCode == 200 && fields == "" && method == "GET" && got != body || method == "HEAD" && a.StatusCode == 200 && fields == "" && a.ContentLength != int64(len(body)) {
					t.Errorf("%s %s %q: %d", method, target, fields, a.StatusCode)
				}
			}
		}
	}
	waitFor(t, "all is given back", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
	snaps, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(snaps) != 1 || os.Truncate(snaps[0], 0) != nil {
		t.Fatal(snaps, err)
	}
	if a, _ := ask(t, addr, "GET", listRoot+"?page=2", "", ""); a.StatusCode != 503 {
		t.Errorf("from a cut snapshot: %d", a.StatusCode)
	}
	waitFor(t, "all is given back after a fault", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
}

// A file that has no room is not read into memory, but sent all the same.
func TestNoMemoryNoRead(t *testing.T) {
	big := site
	big.note = strings.Repeat("x", bodies.Large)
	dir := t.TempDir()
	big.write(t, dir)
	s := openSite(t, dir, func(c *ServerConfig) { c.ResponseBytes = 1 })
	for range 2 {
		ctx := newRequest(t, "GET", listRoot)
		if s.handle(ctx); ctx.Response.StatusCode() != 200 || string(ctx.Response.Body()) != big.list(5, 0, 1) {
			t.Errorf("a file: %d", ctx.Response.StatusCode())
		}
	}
	if f := s.current.Served.Load().Cache.Get("?" + firstPage); f == nil || f.Responses[contentcoding.Identity].Load() != nil {
		t.Error("the file was read")
	}
	if s.resources.Memory.Left() != 1 {
		t.Errorf("%d bytes are free", s.resources.Memory.Left())
	}
}

// Files are sent while clients that do not read hold all the memory, with the headers that they
// have otherwise.
func TestFilesNeedNoMemory(t *testing.T) {
	big := site
	big.note = strings.Repeat("many words ", 1<<19)
	dir := t.TempDir()
	big.write(t, dir)
	coded(t, dir, firstPage, contentcoding.Gzip)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.ResponseBytes = dir, 12<<20 })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	item := listRoot + "/Content_1"
	conn := reader(t, addr, "POST", esRoot+"?Page=1&PageSize=2")
	defer conn.Close()
	waitFor(t, "the memory is taken", func() bool { return s.resources.Memory.Left() < 3<<20 })
	for _, c := range []struct {
		method, target, fields string
		status                 int
		body                   string
	}{
		{"GET", item, "", 200, big.item(1)},
		{"GET", item, "", 200, big.item(1)},
		{"HEAD", item, "", 200, ""},
		{"GET", item, "Range: bytes=5-9\r\n", 206, big.item(1)[5:10]},
		{"GET", item, "Range: bytes=99999999-\r\n", 416, ""},
		{"GET", item, "If-None-Match: " + release.ETag([]byte(big.item(1))) + "\r\n", 304, ""},
		{"GET", item, "If-Match: \"a\"\r\n", 412, ""},
		{"GET", listRoot, "", 200, big.list(5, 0, 1)},
		{"POST", esRoot + "?Page=2&PageSize=2", "", 503, ""},
	} {
		a, body := ask(t, addr, c.method, c.target, c.fields, "")
		if a.StatusCode != c.status || c.body != "" && body != c.body {
			t.Errorf("%s %s %q: %d, %d bytes", c.method, c.target, c.fields, a.StatusCode, len(body))
		}
		if c.status == 200 && c.target == item && (a.Header.Get("ETag") != release.ETag([]byte(big.item(1))) || a.ContentLength != int64(len(big.item(1)))) {
			t.Errorf("%s: %d bytes, %v", c.method, a.ContentLength, a.Header)
		}
	}
	if a, body := ask(t, addr, "GET", listRoot, "Accept-Encoding: gzip\r\n", ""); a.StatusCode != 200 || a.Header.Get("Content-Encoding") != "gzip" || int64(len(body)) != a.ContentLength {
		t.Errorf("in gzip: %d %v", a.StatusCode, a.Header)
	}
}

// A client may take long for an answer if it goes on taking some of it.
func TestSlowButMoving(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		t.Run("HTTP", func(t *testing.T) { slowButMoving(t, mode, reader) })
		t.Run("TLS", func(t *testing.T) {
			cert, key := writeCertificate(t, t.TempDir(), 1)
			slowButMoving(t, func(c *ServerConfig) { mode(c); c.TLSCert, c.TLSKey = cert, key }, readerTLS)
		})
	})
}

// readerTLS is reader over TLS.
func readerTLS(t *testing.T, addr, method, target string) net.Conn {
	t.Helper()
	conn := dialStrictTLS(t, addr).conn
	if err := conn.(*tls.Conn).NetConn().(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: a\r\n\r\n", method, target); err != nil {
		t.Fatal(err)
	}
	return conn
}

// slowButMoving requests a response, and takes it in more than the write timeout. Another client takes nothing.
func slowButMoving(t *testing.T, mode func(*ServerConfig), reader func(t *testing.T, addr, method, target string) net.Conn) {
	const timeout = 1500 * time.Millisecond
	big := site
	big.note = strings.Repeat("x", 2<<20)
	dir := t.TempDir()
	big.write(t, dir)
	s, addr := startServer(t, func(c *ServerConfig) {
		mode(c)
		c.Public, c.WriteTimeout, c.SearchTimeout = dir, timeout, timeout
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	moving, resting := reader(t, addr, "GET", listRoot+"?page=2"), reader(t, addr, "GET", listRoot+"?page=2")
	want, got := len(big.list(5, 2, 3)), 0
	start, every := time.Now(), time.NewTicker(20*time.Millisecond)
	for b := make([]byte, 32<<10); got < want; <-every.C {
		n, err := moving.Read(b)
		if got += n; err != nil {
			t.Fatalf("after %s and %d bytes of %d: %v", time.Since(start), got, want, err)
		}
	}
	every.Stop()
	_ = moving.Close()
	if took := time.Since(start); took < 2*timeout {
		t.Errorf("it took %s: no test of the timeout", took)
	}
	waitFor(t, "who takes nothing is cut", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
	_ = resting.Close()
}

// A client that does not read leaves memory to others, whatever it asks for: what is made for
// it alone, or what is in the cache.
func TestShares(t *testing.T) {
	big := site
	big.note = strings.Repeat("x", 5<<20)
	dir := t.TempDir()
	big.write(t, dir)
	for _, c := range []struct {
		name, method, target string
		more                 string // another response of the same length, or the same made again
		cache                int64
	}{
		{"made for one request", "GET", listRoot + "?page=2", listRoot + "?page=2", 0},
		{"cached", "POST", esRoot + "?Page=1&PageSize=1", esRoot + "?Page=2&PageSize=1", 1 << 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := func(budget int64) (*Server, string) {
				s, addr := startServer(t, func(cfg *ServerConfig) { cfg.Public, cfg.ResponseBytes, cfg.CacheBytes = dir, budget, c.cache })
				if err := s.Reload(context.Background()); err != nil {
					t.Fatal(err)
				}
				return s, addr
			}
			_, addr := start(1 << 30)
			_, body := ask(t, addr, c.method, c.target, "", "")
			size := int64(len(body))
			s, addr := start(5*size/2 + 1) // a share of a half has room for one
			for range 3 {                  // a search is cached from the second time on
				for _, target := range []string{c.target, c.more} {
					ask(t, addr, c.method, target, "", "")
				}
			}
			waitFor(t, "all is given back", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
			before := s.resources.Memory.Left()
			status := func(from string) int {
				conn := readerFrom(t, from, addr, c.method, c.more)
				defer conn.Close()
				a, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				return a.StatusCode
			}
			conn := reader(t, addr, c.method, c.target)
			waitFor(t, "the memory is taken", func() bool { return s.resources.Memory.Left() == before-size })
			if got := status("127.0.0.1"); got != 503 {
				t.Errorf("more than its share: %d", got)
			}
			if got := status("127.0.0.2"); got != 200 {
				t.Errorf("another client: %d", got)
			}
			_ = conn.Close()
			waitFor(t, "all is given back", func() bool { return s.resources.Memory.Left() == before })
		})
	}
}

// While memory is short, a client that takes nothing of its answer is cut after a tenth of the
// write timeout, and others have its memory.
func TestStalledGoFirst(t *testing.T) {
	needsFastPath(t, "the write timeout does not depend on memory")
	big := site
	big.note = strings.Repeat("x", 5<<20)
	dir := t.TempDir()
	big.write(t, dir)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.ResponseBytes, c.WriteTimeout = dir, 36<<20, 30*time.Second })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"} {
		defer readerFrom(t, from, addr, "GET", listRoot+"?page=2").Close()
	}
	waitFor(t, "memory is short", s.resources.Memory.IsLow)
	waitFor(t, "those that take nothing are cut", func() bool { return !s.resources.Memory.IsLow() })
}
