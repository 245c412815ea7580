package edgeserve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/serve/logs"
)

// loggedLine is what these tests read of a line of the access log.
type loggedLine struct {
	ID, Client, Peer, Host, Cache, Release string
	UserAgent                              string `json:"user_agent"`
	TraceID                                string `json:"trace_id"`
	Status                                 int
}

// logged starts a server with an access log, and returns its address and what gives the line of a request
// once it is there.
func logged(t *testing.T, start func(*testing.T, func(*ServerConfig)) (*Server, string), dir string, change func(*ServerConfig)) (addr string, line func(id string) loggedLine) {
	t.Helper()
	log := &logBuffer{}
	s, addr := start(t, func(c *ServerConfig) {
		c.Public = dir
		change(c)
		c.AccessLog = logs.NewAccess(log, logs.JSON)
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	return addr, func(id string) (found loggedLine) {
		waitFor(t, "the line of "+id, func() bool {
			for text := range strings.Lines(log.String()) {
				if json.Unmarshal([]byte(text), &found) == nil && found.ID == id {
					return true
				}
			}
			return false
		})
		return found
	}
}

// The fast path and Fiber have the same client for every request, whatever its fields say: from the cache,
// computed, handed to Fiber, or refused.
func TestBothAdaptersHaveTheSameClient(t *testing.T) {
	dir := t.TempDir()
	fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}}.write(t, dir)
	rnd := rand.New(rand.NewPCG(7, 1))
	pool := []string{"127.0.0.9", "203.0.113.7", "2001:db8::7", "[2001:db8::8]:80", "198.51.100.1:99", "::ffff:203.0.113.9", "unknown", "_x", "", "1.2.3", `"`, `for=203.0.113.1`, `for="[2001:db8::1]:1"`, `For=127.0.0.8`, `for=";a="`, `x="`}
	for _, field := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
		behindProxy := func(c *ServerConfig) { c.TrustedProxies, c.ClientIPFrom = []string{"loopback"}, field }
		fast, fastLine := logged(t, startServer, dir, behindProxy)
		engine, engineLine := logged(t, startEngine, dir, behindProxy)
		clients := map[string]bool{}
		for i := range 60 {
			var fields strings.Builder
			for range rnd.IntN(3) {
				name := []string{field, strings.ToLower(field), strings.ToUpper(field)}[rnd.IntN(3)]
				elements := make([]string, rnd.IntN(4))
				for k := range elements {
					elements[k] = pool[rnd.IntN(len(pool))]
				}
				fmt.Fprintf(&fields, "%s:%s\r\n", name, strings.Join(elements, ", "))
			}
			request := []string{
				"GET /cda/rest/v1/demo/contents/Content_0 HTTP/1.1\r\n", "GET /cda/rest/v1/demo/contents?pageSize=1 HTTP/1.1\r\n",
				"POST /cda/es/v1/demo HTTP/1.1\r\nContent-Length: 0\r\n", "GET /nowhere HTTP/1.1\r\n", "OPTIONS /cda/rest/v1/demo/contents HTTP/1.1\r\n", "PUT /cda/rest/v1/demo/contents HTTP/1.1\r\n",
			}[i%6]
			id := fmt.Sprintf("request-%d", i)
			for _, addr := range []string{fast, engine} {
				wholeResponse(t, addr, request+"Host: a\r\n"+fields.String()+"X-Request-Id: "+id+"\r\n\r\n")
			}
			a, b := fastLine(id), engineLine(id)
			if a.Client != b.Client || a.Client == "" || netip.MustParseAddrPort(a.Peer).Addr() != netip.MustParseAddr("127.0.0.1") {
				t.Errorf("%s%q: client %s of peer %s, Fiber has %s", request, fields.String(), a.Client, a.Peer, b.Client)
			}
			clients[a.Client] = true
		}
		if len(clients) < 4 {
			t.Errorf("%s: only the clients %v", field, clients)
		}
	}
}

// A line names the client, the proxy, the host, the release, the trace, and where the response comes from.
func TestAccessLogLine(t *testing.T) {
	dir := t.TempDir()
	build := fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}}.write(t, dir)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for name, start := range map[string]func(*testing.T, func(*ServerConfig)) (*Server, string){"fast path": startServer, "Fiber": startEngine} {
		addr, line := logged(t, start, dir, func(c *ServerConfig) { c.TrustedProxies = []string{"127.0.0.1"} })
		for i, c := range []struct{ request, cache, release string }{
			{"GET /cda/rest/v1/demo/contents/Content_0", "computed", build},
			{"GET /cda/rest/v1/demo/contents/Content_0", "file", build}, // cached at the second request
			{"GET /cda/rest/v1/demo/contents/Content_0", "hit", build},
			{"GET /cda/rest/v1/demo/contents?pageSize=1", "computed", build},
			{"GET /cda/rest/v1/demo/contents?pageSize=1", "computed", build},
			{"GET /cda/rest/v1/demo/contents?pageSize=1", "hit", build},
			{"GET /cda/rest/v1/demo/contents/none", "none", build},
			{"GET /nowhere", "none", build},
		} {
			id := fmt.Sprintf("%d", i)
			wholeResponse(t, addr, c.request+" HTTP/1.1\r\nHost: www.example\r\nUser-Agent: me/1\r\nX-Forwarded-For: 203.0.113.7\r\nX-Request-Id: "+id+
				"\r\ntraceparent: 00-"+trace+"-00f067aa0ba902b7-01\r\n\r\n")
			got := line(id)
			if got.Client != "203.0.113.7" || got.Host != "www.example" || got.UserAgent != "me/1" || got.TraceID != trace || got.Cache != c.cache || got.Release != c.release {
				t.Errorf("%s, %s: %+v, want cache %s, release %s", name, c.request, got, c.cache, c.release)
			}
		}
	}
}

// Behind a Unix socket clients are told apart by the proxy's word, if unix is trusted: peers there have no
// address, and would share all limits.
func TestClientsBehindAUnixSocket(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		s, tcp := newServer(t, func(c *ServerConfig) {
			mode(c)
			c.DrainGrace = 0
			c.TrustedProxies, c.ClientIPFrom = []string{"unix"}, "X-Forwarded-For"
			if err := c.RateLimit.UnmarshalText([]byte("1/h")); err != nil {
				t.Fatal(err)
			}
		})
		tcp.Close()
		site.write(t, s.cfg.Public)
		path := filepath.Join(t.TempDir(), "http.sock")
		ln, err := net.Listen("unix", path)
		if err != nil {
			t.Skip(err)
		}
		ln.(*net.UnixListener).SetUnlinkOnClose(false) // as of a passed one
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, ln) }()
		defer func() {
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}()
		for _, c := range []struct {
			client string
			want   int
		}{{"203.0.113.1", 200}, {"203.0.113.2", 200}, {"203.0.113.1", 429}} {
			conn, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: %s\r\n\r\n", listRoot, c.client)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != c.want {
				t.Errorf("%s: %v, %v, want %d", c.client, answer, err, c.want)
			}
			conn.Close()
		}
	})
}
