package edgeserve

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/serve/ratelimit"
)

// limitedServers are the servers of both adapters, behind a proxy that names its clients.
func limitedServers(t *testing.T, change func(*ServerConfig)) map[string]struct {
	s    *Server
	addr string
} {
	t.Helper()
	dir := t.TempDir()
	fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}}.write(t, dir)
	all := map[string]struct {
		s    *Server
		addr string
	}{}
	for name, start := range map[string]func(*testing.T, func(*ServerConfig)) (*Server, string){"fast path": startServer, "Fiber": startEngine} {
		s, addr := start(t, func(c *ServerConfig) {
			c.Public, c.TrustedProxies = dir, []string{"loopback"}
			change(c)
		})
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		all[name] = struct {
			s    *Server
			addr string
		}{s, addr}
	}
	return all
}

func rateOf(t *testing.T, text string) (r ratelimit.Rate) {
	t.Helper()
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

// Each request is taken once, whoever answers it. A client that has had too many gets a 429 that no cache
// may store, in the same bytes from both adapters; others, probes and exempt clients go on.
func TestRateLimits(t *testing.T) {
	const burst = 3
	const item, list = "/cda/rest/v1/demo/contents/Content_0", "/cda/rest/v1/demo/contents?pageSize=1"
	servers := limitedServers(t, func(c *ServerConfig) {
		c.RateLimit, c.RateBurst, c.RateExempt = rateOf(t, "1/h"), burst, []string{"198.51.100.0/24"}
	})
	request := func(addr, client, line, fields string) string {
		return wholeResponse(t, addr, line+" HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: "+client+"\r\nX-Request-Id: mine\r\n"+fields+"\r\n")
	}
	refusals := map[string]string{}
	for name, server := range servers {
		n := 0
		for _, c := range []struct{ line, fields string }{
			{"GET " + item, ""}, {"HEAD " + item, ""}, {"GET " + list, ""}, {"POST /cda/es/v1/demo", "Content-Length: 2\r\n\r\n{}"},
			{"GET /nowhere", ""}, {"GET /cda/rest/v1/demo/contents/none", ""}, {"GET /", ""}, {"OPTIONS " + item, ""}, {"PUT " + item, ""}, {"NEW " + item, ""}, {"GET " + item, "Range: bytes=0-1\r\n"},
			{"GET /cda/rest/v1/none/contents", ""}, {"GET /cda/es/v1/demo/_search", ""}, {"GET " + item, "If-None-Match: *\r\n"},
		} {
			n++
			client := fmt.Sprintf("203.0.113.%d", n)
			for i := range burst + 2 {
				got := request(server.addr, client, c.line, c.fields)
				if limited := strings.HasPrefix(got, "HTTP/1.1 429 "); limited != (i >= burst) {
					t.Errorf("%s: %s, request %d: %.60q", name, c.line, i+1, got)
				}
				if i == burst {
					refusal := regexp.MustCompile(`Retry-After: \d+`).ReplaceAllString(got, "Retry-After: N")
					if other := refusals[c.line+c.fields]; other != "" && other != refusal {
						t.Errorf("%s: %s is refused by\n%q\nand\n%q", name, c.line, refusal, other)
					}
					refusals[c.line+c.fields] = refusal
					if !strings.Contains(got, "\r\nCache-Control: no-store\r\n") || !strings.Contains(got, "\r\nX-Request-Id: mine\r\n") || !strings.HasPrefix(c.line, "HEAD") && !strings.Contains(got, "sends too many requests") {
						t.Errorf("%s: %s: %q", name, c.line, got)
					}
					if m := regexp.MustCompile(`\r\nRetry-After: (\d+)\r\n`).FindStringSubmatch(got); m == nil {
						t.Errorf("%s: %s: no Retry-After: %q", name, c.line, got)
					} else if seconds, _ := strconv.Atoi(m[1]); seconds < 3500 || seconds > 3600 {
						t.Errorf("%s: %s: Retry-After %d", name, c.line, seconds)
					}
				}
			}
		}
		for _, free := range []struct{ client, line string }{{"203.0.113.1", "GET /livez"}, {"203.0.113.1", "HEAD /readyz"}, {"198.51.100.7", "GET " + item}} {
			for range burst + 2 {
				if got := request(server.addr, free.client, free.line, ""); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
					t.Errorf("%s: %s of %s: %.60q", name, free.line, free.client, got)
				}
			}
		}
		var text prometheus.Text
		server.s.observer.clients.limits.Write(&text)
		metrics := prometheustest.Parse(t, text.Bytes())
		if got, want := metrics[`contentedge_rate_limited_total{limit="requests"}`], float64(2*n); got != want || metrics["contentedge_rate_limit_clients"] != float64(n) {
			t.Errorf("%s: %g refused, want %g; %v", name, got, want, metrics)
		}
	}
}

// A client whose searches took too much gets no other one computed, but what is in the cache, and items.
func TestSearchRate(t *testing.T) {
	const post = "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n%s"
	servers := limitedServers(t, func(c *ServerConfig) {
		if err := c.SearchRate.UnmarshalText([]byte("1ms/h")); err != nil {
			t.Fatal(err)
		}
		c.SearchBurst = 1 // a nanosecond
	})
	search := func(addr, client, body string) string {
		return wholeResponse(t, addr, fmt.Sprintf(post, client, len(body), body))
	}
	const cached = `{"query":{"match":{"Name":"Ada"}}}`
	for name, server := range servers {
		for i := range 2 { // it is cached at the second request
			search(server.addr, fmt.Sprintf("203.0.113.%d", 50+i), cached)
		}
		for i, c := range []struct {
			what, got, want string
		}{
			{"the first search", search(server.addr, "203.0.113.1", `{"query":{"match":{"Name":"Bo"}}}`), "200"},
			{"the second", search(server.addr, "203.0.113.1", `{"query":{"match":{"Name":"Cy"}}}`), "429"},
			{"a list without a file", wholeResponse(t, server.addr, "GET /cda/rest/v1/demo/contents?pageSize=1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n"), "429"},
			{"a cached search", search(server.addr, "203.0.113.1", cached), "200"},
			{"an item", wholeResponse(t, server.addr, "GET /cda/rest/v1/demo/contents/Content_0 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n"), "200"},
			{"another client's search", search(server.addr, "203.0.113.2", `{"query":{"match":{"Name":"Cy"}}}`), "200"},
		} {
			if !strings.HasPrefix(c.got, "HTTP/1.1 "+c.want) || c.want == "429" && (!strings.Contains(c.got, "took too much work") || !strings.Contains(c.got, "\r\nRetry-After: ")) {
				t.Errorf("%s, %d: %s gets %q, want %s", name, i, c.what, c.got, c.want)
			}
		}
		const several = "{}\n{\"query\":{\"match\":{\"Name\":\"Ada Bo\"}}}\n{}\n{\"query\":{\"match\":{\"Name\":\"Bo Cy\"}}}\n"
		got := wholeResponse(t, server.addr, fmt.Sprintf("POST /cda/es/v1/demo/_msearch HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.3\r\nContent-Length: %d\r\n\r\n%s", len(several), several))
		if !strings.HasPrefix(got, "HTTP/1.1 429") || !strings.Contains(got, "es_rejected_execution_exception") {
			t.Errorf("%s: the second search of a request is not refused: %q", name, got)
		}
		var text prometheus.Text
		server.s.resources.WriteSearches(&text)
		if n := prometheustest.Parse(t, text.Bytes())[`contentedge_search_rejections_total{code="rate_limited"}`]; n != 3 {
			t.Errorf("%s: %g refused searches are counted, want 3", name, n)
		}
	}
}
