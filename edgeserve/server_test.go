package edgeserve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/wire/release"
)

// A request that has begun when the server stops is answered.
func TestDrain(t *testing.T) {
	cfg := Defaults()
	cfg.Public, cfg.PollInterval, cfg.DrainGrace = t.TempDir(), 0, 0
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()

	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send := func(text string) {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	send("POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
	for s.telemetry.node.Connections.Load() < 1 {
		runtime.Gosched()
	}
	stop()
	waitRefused(t, ln.Addr().String())
	send("}")
	last, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || last.StatusCode != 503 {
		t.Fatalf("after: %v, %v", last, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// waitRefused waits until nobody listens at addr.
func waitRefused(t *testing.T, addr string) {
	t.Helper()
	for limit := time.Now().Add(patient); time.Now().Before(limit); {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		_ = conn.Close()
	}
	t.Fatal("still listening")
}

func TestServeEndsAtOnce(t *testing.T) {
	cfg := Defaults()
	cfg.Public = t.TempDir()
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := s.Serve(ctx, ln); err != nil {
		t.Error(err)
	}
}

func TestConfigValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*ServerConfig)
		want   string
	}{
		"public":        {func(c *ServerConfig) { c.Public = "" }, "public directory"},
		"address":       {func(c *ServerConfig) { c.Addr = "" }, "address"},
		"body limit":    {func(c *ServerConfig) { c.BodyLimit = 0 }, "body limit"},
		"connections":   {func(c *ServerConfig) { c.MaxConns = -1 }, "connections"},
		"searches":      {func(c *ServerConfig) { c.MaxSearches = 0 }, "searches"},
		"cache":         {func(c *ServerConfig) { c.CacheBytes = -1 }, "cache"},
		"poll":          {func(c *ServerConfig) { c.PollInterval = -1 }, "poll"},
		"read":          {func(c *ServerConfig) { c.ReadTimeout = 0 }, "read timeout"},
		"head limit":    {func(c *ServerConfig) { c.HeadLimit = 100 }, "head limit"},
		"huge heads":    {func(c *ServerConfig) { c.HeadLimit = 1 << 40 }, "head limit"},
		"first byte":    {func(c *ServerConfig) { c.FirstByteTimeout = 0 }, "first byte timeout"},
		"header":        {func(c *ServerConfig) { c.HeaderTimeout = 0 }, "header timeout"},
		"memory":        {func(c *ServerConfig) { c.ResponseBytes = 0 }, "memory for responses"},
		"one address":   {func(c *ServerConfig) { c.MaxConnsPerIP = -1 }, "one address"},
		"origin":        {func(c *ServerConfig) { c.Origins = []string{"example.org"} }, `"example.org" is not scheme://host`},
		"origin's path": {func(c *ServerConfig) { c.Origins = []string{"https://a/"} }, "is not scheme://host"},
		"host's port":   {func(c *ServerConfig) { c.Hosts = []string{"a:80"} }, `"a:80" is not a name or an address`},
		"any and host":  {func(c *ServerConfig) { c.Hosts = []string{"*", "a"} }, `"*" is not a name`},
		"any and one":   {func(c *ServerConfig) { c.Origins = []string{"*", "https://a"} }, "or give only *"},
		"policy":        {func(c *ServerConfig) { c.Cache[release.ClassItem] = "max-age=1\r\nX: y" }, "Cache-Control"},
		"no policy":     {func(c *ServerConfig) { c.Cache = release.Policy{} }, "Cache-Control"},
		"contradiction": {func(c *ServerConfig) { c.WriteTimeout = time.Second }, "longer than the write timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Defaults()
			c.change(&cfg)
			if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Validate: %v", err)
			}
			if _, err := New(cfg); err == nil {
				t.Error("New takes it")
			}
		})
	}
}

// A head and a body have each their own time, and both are absolute. Who has asked for
// nothing is told nothing: browsers open connections that they may use later.
func TestRequestTimeouts(t *testing.T) {
	const short, long = 50 * time.Millisecond, time.Hour
	for name, c := range map[string]struct {
		first, head, body time.Duration
		sent              string
	}{
		"nothing":        {short, long, long, ""},
		"half a head":    {long, short, long, "GET /livez HT"},
		"half a body":    {long, long, short, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{"},
		"half in chunks": {long, long, short, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, addr := startServer(t, func(cfg *ServerConfig) {
				cfg.FirstByteTimeout, cfg.HeaderTimeout, cfg.ReadTimeout = c.first, c.head, c.body
			})
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.sent); err != nil {
				t.Fatal(err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(patient)); err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(conn)
			if told := strings.HasPrefix(string(b), "HTTP/1.1 408 "); err != nil || told != (c.sent != "") || !told && len(b) > 0 {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

// A connection that a proxy opened beforehand is good for longer than a head may take.
func TestSilentConnection(t *testing.T) {
	const head = 20 * time.Millisecond
	_, addr := startServer(t, func(cfg *ServerConfig) { cfg.HeaderTimeout = head })
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(10 * head)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a silent connection ended: %d bytes, %v", n, err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patient)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 200 ") {
		t.Errorf("%q, %v", b, err)
	}
}

// handle routes a request that needs no check in front of the routes.
func (s *Server) handle(ctx *fasthttp.RequestCtx) { s.fiber.app.Handler()(ctx) }
