package edgeserve

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestOther: what no route matches is answered by the hook, which gets the body, and only for
// hosts of the server. What the hook declines is answered 404.
func TestOther(t *testing.T) {
	for path, start := range map[string]func(*testing.T, func(*ServerConfig)) (*Server, string){"fast path": startServer, "Fiber": startEngine} {
		t.Run(path, func(t *testing.T) {
			dir := t.TempDir()
			site.write(t, dir)
			var asked atomic.Int64
			_, addr := start(t, func(c *ServerConfig) {
				c.Public, c.Hosts = dir, []string{"known.example"}
				c.Fallback = func(ctx *fasthttp.RequestCtx) bool {
					asked.Add(1)
					if !strings.HasPrefix(string(ctx.Path()), "/-/") {
						return false
					}
					ctx.SetBodyString("other " + string(ctx.Method()) + " " + string(ctx.Request.Body()))
					return true
				}
			})
			for _, c := range []struct {
				request string
				status  int
				body    string
				asked   int64
			}{
				{"GET /-/x HTTP/1.1\r\nHost: known.example\r\n\r\n", 200, "other GET ", 1},
				{"POST /-/x HTTP/1.1\r\nHost: known.example\r\nContent-Length: 4\r\n\r\nbody", 200, "other POST body", 1},
				{"GET /nothing HTTP/1.1\r\nHost: known.example\r\n\r\n", 404, "unknown_route", 1},
				{"GET /-/x HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "unknown_host", 0},
				{"GET /livez HTTP/1.1\r\nHost: known.example\r\n\r\n", 200, "live", 0},
				{"GET /-/x HTTP/1.1\r\nHost: known.example\r\nbroken\r\n\r\n", 400, "", 0},
			} {
				before := asked.Load()
				heard, _ := say(t, addr, c.request)
				if text := string(heard); !strings.Contains(text, fmt.Sprintf("HTTP/1.1 %d ", c.status)) || !strings.Contains(text, c.body) || asked.Load()-before != c.asked {
					t.Errorf("%q: asked %d times\n%s", c.request, asked.Load()-before, text)
				}
			}
		})
	}
}

// TestOnResponse: each response passes the hook, which knows whether the request is for the server.
func TestOnResponse(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	_, addr := startEngine(t, func(c *ServerConfig) {
		c.Public, c.Hosts, c.FastPath = dir, []string{"known.example"}, FastPathOff
		c.OnResponse = func(ctx *fasthttp.RequestCtx, ours bool) {
			if ours {
				ctx.Response.Header.Set("X-Seen", "yes")
			}
		}
	})
	for request, want := range map[string]bool{
		"GET " + listRoot + " HTTP/1.1\r\nHost: known.example\r\n\r\n": true,
		"GET /nothing HTTP/1.1\r\nHost: known.example\r\n\r\n":         true,
		"GET /nothing HTTP/1.1\r\nHost: evil.example\r\n\r\n":          false,
		"GET / HTTP/1.1\r\nHost: evil.example\r\nbroken\r\n\r\n":       false,
	} {
		if heard, _ := say(t, addr, request); strings.Contains(string(heard), "X-Seen: yes") != want {
			t.Errorf("%q: %s", request, heard)
		}
	}
	c := Defaults()
	c.OnResponse = func(*fasthttp.RequestCtx, bool) {}
	if err := c.Validate(); err == nil {
		t.Error("responses of the fast path would not be seen")
	}
}
