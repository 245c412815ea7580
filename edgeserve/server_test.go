package edgeserve

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A request that has begun when the server stops is answered.
func TestDrain(t *testing.T) {
	cfg := Defaults()
	cfg.Public, cfg.PollInterval = t.TempDir(), 0
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
	send("POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
	for s.app.Server().GetOpenConnectionsCount() < 1 {
		runtime.Gosched()
	}
	stop()
	waitRefused(t, ln.Addr().String())
	send("}")
	last, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || last.StatusCode != 405 {
		t.Fatalf("after: %v, %v", last, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// waitRefused waits until nobody listens at addr.
func waitRefused(t *testing.T, addr string) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Second); time.Now().Before(limit); {
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
		change func(*Config)
		want   string
	}{
		"public":        {func(c *Config) { c.Public = "" }, "public directory"},
		"address":       {func(c *Config) { c.Addr = "" }, "address"},
		"body limit":    {func(c *Config) { c.BodyLimit = 0 }, "body limit"},
		"connections":   {func(c *Config) { c.MaxConns = -1 }, "connections"},
		"searches":      {func(c *Config) { c.MaxSearches = 0 }, "searches"},
		"cache":         {func(c *Config) { c.CacheBytes = -1 }, "cache"},
		"poll":          {func(c *Config) { c.PollInterval = -1 }, "poll"},
		"read":          {func(c *Config) { c.ReadTimeout = 0 }, "read timeout"},
		"contradiction": {func(c *Config) { c.WriteTimeout = time.Second }, "longer than the write timeout"},
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
