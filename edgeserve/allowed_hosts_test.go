package edgeserve

import (
	"strings"
	"testing"
)

// TestUnknownHostIsToldNothing: a page that had its name lead here learns neither content
// nor what is wrong with it, whatever it sends; everybody else does.
func TestUnknownHostIsToldNothing(t *testing.T) {
	for path, start := range map[string]func(*testing.T, func(*ServerConfig)) (*Server, string){"fast path": startServer, "Fiber": startEngine} {
		t.Run(path, func(t *testing.T) {
			dir := t.TempDir()
			site.write(t, dir)
			s, addr := start(t, func(c *ServerConfig) { c.Public, c.Hosts = dir, []string{"known.example"} })
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time the answer is in memory
				for _, known := range []string{"known.example", "localhost:1", addr} {
					if a, _ := exchange(t, addr, "GET "+listRoot+" HTTP/1.1\r\nHost: "+known+"\r\n\r\n"); len(a) != 1 || a[0].StatusCode != 200 {
						t.Fatalf("%s: %v", known, a)
					}
				}
			}
			tellsNothing(t, addr)
			s.SetContentError(&ContentError{Code: "c", Message: "secret"})
			tellsNothing(t, addr)
			heard, _ := say(t, addr, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
			if told := string(heard); !strings.Contains(told, `"code":"unknown_host"`) || !strings.Contains(told, "--host NAME") {
				t.Errorf("%s", told)
			}
		})
	}
}

// tellsNothing asks in the name of another site.
func tellsNothing(t *testing.T, addr string) {
	t.Helper()
	for _, c := range []struct {
		raw    string
		status int
	}{
		{"GET " + listRoot + " HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"HEAD " + listRoot + " HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n", 421},
		{"GET " + listRoot + "?page=0 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"POST " + esRoot + " HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}", 421},
		{"OPTIONS " + esRoot + " HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"GET /readyz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"FOO / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"GET http://evil.example" + listRoot + " HTTP/1.1\r\nHost: known.example\r\n\r\n", 421},
		{"GET http://known.example" + listRoot + " HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
		{"GET " + listRoot + " HTTP/1.0\r\n\r\n", 421},
		{"GET " + listRoot + " HTTP/1.1\r\nHost: evil.example\r\nbroken\r\n\r\n", 400},
		{"POST " + esRoot + " HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99999999\r\n\r\n{", 413},
	} {
		a, _ := exchange(t, addr, c.raw)
		if len(a) != 1 || a[0].StatusCode != c.status {
			t.Errorf("%q: %v", c.raw, a)
			continue
		}
		for _, name := range []string{"X-Content-Error", "X-Release", "Etag"} {
			if v := a[0].Header.Get(name); v != "" {
				t.Errorf("%q is told %s: %s", c.raw, name, v)
			}
		}
	}
}
