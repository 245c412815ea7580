package edgeserve

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A client that may ask for timings gets them, in a response that no cache may store. Nobody else gets
// anything of it, before or afterwards.
func TestServerTiming(t *testing.T) {
	servers := limitedServers(t, func(c *ServerConfig) { c.ServerTiming = []string{"203.0.113.7"} })
	timing := regexp.MustCompile(`\r\nServer-Timing: cache;desc=(\w+), queue;dur=([\d.]+), search;dur=([\d.]+), render;dur=([\d.]+), total;dur=([\d.]+)\r\n`)
	const item = "GET /cda/rest/v1/demo/contents/Content_0 HTTP/1.1\r\nHost: a\r\n"
	const search = "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
	for name, server := range servers {
		send := func(client, head, body string) string {
			return wholeResponse(t, server.addr, head+"X-Forwarded-For: "+client+"\r\nX-Server-Timing: 1\r\n\r\n"+body)
		}
		wholeResponse(t, server.addr, item+"\r\n")
		before := wholeResponse(t, server.addr, item+"\r\n") // the second request is cached
		tag := regexp.MustCompile(`"[^"]+"`).FindString(before)
		for _, c := range []struct {
			what, response, cache string
			searched              bool
		}{
			{"an item", send("203.0.113.7", item, ""), "hit", false},
			{"a search", send("203.0.113.7", search, "{}"), "computed", true},
			{"a list", send("203.0.113.7", "GET /cda/rest/v1/demo/contents?pageSize=1 HTTP/1.1\r\nHost: a\r\n", ""), "computed", true},
			{"no item", send("203.0.113.7", "GET /cda/rest/v1/demo/contents/none HTTP/1.1\r\nHost: a\r\n", ""), "none", false},
		} {
			m := timing.FindStringSubmatch(c.response)
			if m == nil || m[1] != c.cache || !strings.Contains(c.response, "\r\nCache-Control: no-store\r\n") || strings.Count(c.response, "Cache-Control") != 1 {
				t.Errorf("%s: %s: %q", name, c.what, c.response)
				continue
			}
			took := make([]float64, len(m))
			for i := range m[2:] {
				took[i], _ = strconv.ParseFloat(m[2+i], 64)
			}
			if parts := took[0] + took[1] + took[2]; c.searched && took[1]+took[2] == 0 || parts > took[3]+0.01 {
				t.Errorf("%s: %s: %q", name, c.what, m[0])
			}
		}
		for what, response := range map[string]string{
			"another client":        send("203.0.113.8", item, ""),
			"without asking":        wholeResponse(t, server.addr, item+"X-Forwarded-For: 203.0.113.7\r\n\r\n"),
			"what the client knows": send("203.0.113.7", item+"If-None-Match: "+tag+"\r\n", ""),
		} {
			if timing.MatchString(response) || strings.Contains(response, "no-store") || strings.HasPrefix(response, "HTTP/1.1 200") && response != before {
				t.Errorf("%s: %s: %q", name, what, response)
			}
		}
	}
}
