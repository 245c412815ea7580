package edgeserve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("never: " + what)
		}
	}
}

func (m *memory) free() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// reader is a client that asks and does not read; the kernel buffers little for it.
func reader(t *testing.T, addr, method, target string) net.Conn {
	t.Helper()
	small := func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10) })
	}
	conn, err := (&net.Dialer{Control: small}).Dial("tcp", addr)
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
	s, addr := startServer(t, func(c *Config) {
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
				conns = append(conns, reader(t, addr, c.method, c.target))
				want := budget - c.each*int64(i+1)
				if c.bodies > 0 {
					want = budget - c.each*int64(min(i+1, c.bodies))
				}
				waitFor(t, "the reader's body is taken", func() bool { return s.memory.free() == want })
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
			waitFor(t, "all is given back", func() bool { return s.memory.free() == budget })
		})
	}
}

// However a large answer ends, what it took comes back.
func TestMemoryComesBack(t *testing.T) {
	big := site
	big.note = strings.Repeat("many words ", heldFrom/4)
	dir := t.TempDir()
	big.write(t, dir)
	coded(t, dir, firstPage, encoding.Gzip)
	s, addr := startServer(t, func(c *Config) { c.Public, c.CacheBytes = dir, 1<<20 })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_1", listRoot + "?pageSize=5"} {
		whole, body := ask(t, addr, "GET", target, "", "")
		if whole.StatusCode != 200 || len(body) < heldFrom {
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
	waitFor(t, "all is given back", func() bool { return s.memory.free() == s.cfg.ResponseBytes })
	snaps, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(snaps) != 1 || os.Truncate(snaps[0], 0) != nil {
		t.Fatal(snaps, err)
	}
	if a, _ := ask(t, addr, "GET", listRoot+"?page=2", "", ""); a.StatusCode != 503 {
		t.Errorf("from a cut snapshot: %d", a.StatusCode)
	}
	waitFor(t, "all is given back after a fault", func() bool { return s.memory.free() == s.cfg.ResponseBytes })
}

// An answer that has no room is not read either.
func TestNoMemoryNoRead(t *testing.T) {
	big := site
	big.note = strings.Repeat("x", heldFrom)
	dir := t.TempDir()
	big.write(t, dir)
	s := openSite(t, dir, func(c *Config) { c.ResponseBytes = 1 })
	for range 2 {
		ctx := newRequest(t, "GET", listRoot)
		if s.answer(ctx); ctx.Response.StatusCode() != 503 {
			t.Errorf("a file: %d", ctx.Response.StatusCode())
		}
	}
	if f := s.current.Load().files.get("?" + firstPage); f == nil || f.answers[encoding.Identity].Load() != nil {
		t.Error("the file was read")
	}
	if s.memory.free() != 1 {
		t.Errorf("%d bytes are free", s.memory.free())
	}
}

// A body whose building fails or faults gives its memory back.
func TestBuildGivesBack(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s := openSite(t, dir, nil)
	r := request{server: s, room: new(room)}
	for name, write := range map[string]func([]byte) ([]byte, error){
		"error": func(b []byte) ([]byte, error) { return b, errMemory },
		"panic": func([]byte) ([]byte, error) { panic("fault") },
	} {
		func() {
			defer func() { _ = recover() }()
			_, _ = r.build(built{class: release.ClassList}, 1<<20, write)
		}()
		if s.memory.free() != s.cfg.ResponseBytes {
			t.Errorf("%s: %d bytes of %d are free", name, s.memory.free(), s.cfg.ResponseBytes)
		}
	}
}
