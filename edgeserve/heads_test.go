package edgeserve

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

const (
	// variablePart is how much of a head requests decide, in bytes.
	variablePart = 2 << 10
	// fixedPart is more than all other fields have together.
	fixedPart = 1 << 10
)

// longest is a filter's value as long as it may be, each byte percent-encoded.
var longest = url.QueryEscape(strings.Repeat("é", address.MaxValue/2))

// No request makes a head that a proxy with buffers of 4 KiB refuses, whoever answers it.
func TestHeadsFitProxies(t *testing.T) {
	s, fastAddr, _ := startSite(t, site)
	twin, engine := startEngine(t, func(c *ServerConfig) { c.Public = s.cfg.Public })
	if err := twin.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	filters := "?searchByName=" + longest + "&searchByTemplateName=" + longest + "&status=" + longest + "&searchByCreatedBy=" + longest
	asked := httpfield.RequestHeaders + ": " + strings.Repeat("a,", release.MaxRequestHeaders/2) + "\r\n"
	for _, c := range []struct {
		name, method, target, fields string
		status                       int
	}{
		{"a list", "GET", listRoot, "", 200},
		{"one filter", "GET", listRoot + "?searchByName=" + longest, "", 200},
		{"all filters", "GET", listRoot + filters + "&page=2", "", 200},
		{"a long order", "GET", listRoot + "?sort=Data." + strings.Repeat("a", 3000), "", 200},
		{"a filter that is too long", "GET", listRoot + "?searchByName=" + strings.Repeat("a", 3000), "", 400},
		{"a search's filter that is too long", "POST", esRoot + "?Name=" + strings.Repeat("a", 3000), "", 400},
		{"a search's filter", "POST", esRoot + "?Name=" + longest, "", 200},
		{"a long query of a search", "POST", esRoot + "?q=" + strings.Repeat("a", 900), "", 200},
		{"a preflight", "OPTIONS", listRoot, asked, 204},
		{"a long id", "GET", "/cda/rest/v1/demo/contents/none", httpfield.RequestID + ": " + strings.Repeat("a", 3000) + "\r\n", 404},
		{"another release", "GET", listRoot, httpfield.Release + ": " + strings.Repeat("a", 3000) + "\r\n", 412},
		{"a long origin", "GET", listRoot, "Origin: https://" + strings.Repeat("a", 3000) + "\r\n", 200},
		{"a long tag", "GET", listRoot, "If-None-Match: \"" + strings.Repeat("a", 3000) + "\"\r\n", 200},
		{"a long method", strings.Repeat("A", 3000), listRoot, "", 405},
		{"a long path", "GET", "/" + strings.Repeat("a", 3000), "", 404},
		{"a bad head", "GET", listRoot, strings.Repeat("b", 3000) + "\r\n", 400},
	} {
		for server, addr := range map[string]string{"fast path": fastAddr, "engine": engine} {
			t.Run(c.name+", "+server, func(t *testing.T) {
				head, status := headOf(t, addr, c.method, c.target, c.fields)
				if len(head) > fixedPart+variablePart || status != c.status {
					t.Errorf("answered %d with a head of %d bytes, want %d", status, len(head), c.status)
				}
			})
		}
	}
}

// headOf is the head of the response to a request without a body, and its status.
func headOf(t *testing.T, addr, method, target, fields string) (head []byte, status int) {
	t.Helper()
	if method == http.MethodPost {
		fields += "Content-Length: 0\r\n"
	}
	heard, _ := say(t, addr, method+" "+target+" HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
	head, _, _ = bytes.Cut(heard, []byte("\r\n\r\n"))
	if _, err := fmt.Sscanf(string(head), "HTTP/1.1 %d", &status); err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	return head, status
}

// A preview's error beside the longest list of links and the longest preflight.
func TestContentErrorFitsProxies(t *testing.T) {
	s, addr, _ := startSite(t, site)
	s.SetContentError(&ContentError{Code: "content_error", Message: strings.Repeat("ß", 3000)})
	for target, fields := range map[string]string{
		listRoot + "?searchByName=" + strings.Repeat("a", 150): "",
		listRoot: httpfield.RequestHeaders + ": " + strings.Repeat("a", release.MaxRequestHeaders) + "\r\n",
	} {
		method := http.MethodGet
		if fields != "" {
			method = http.MethodOptions
		}
		if head, _ := headOf(t, addr, method, target, fields); len(head) < variablePart/2 || len(head) > fixedPart+variablePart {
			t.Errorf("%s %s has a head of %d bytes", method, target, len(head))
		}
	}
}
