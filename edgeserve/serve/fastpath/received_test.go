package fastpath

import (
	"strings"
	"testing"
)

func TestReceived(t *testing.T) {
	const get, post = "GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"
	const response = "<"
	long := strings.Repeat("x", 3*maxReceived)
	for what, c := range map[string]struct {
		steps []string
		want  string
	}{
		"nothing":                         {nil, ""},
		"the first request":               {[]string{"GE", "", "T /"}, "GET /"},
		"a request after a response":      {[]string{get, response, "GET /b"}, "GET /b"},
		"a response that ends no request": {[]string{"GET ", response}, ""},
		"two requests in one read":        {[]string{get + "GET", response, " /b"}, ""},
		"a body":                          {[]string{post, response, "GET /b"}, ""},
		"a long one":                      {[]string{long[:100], long}, long[:maxReceived]},
		"one after a long one":            {[]string{long, response, "GET /b"}, ""},
	} {
		var r received
		for _, step := range c.steps {
			if step == response {
				r.responded = true
			} else {
				r.read([]byte(step))
			}
		}
		if got := string(r.bytes()); got != c.want {
			t.Errorf("%s: %.40q, want %.40q", what, got, c.want)
		}
	}
}
