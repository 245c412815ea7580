package edgeserve

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// openOffline opens the release in a directory as the WebAssembly module does.
func openOffline(t *testing.T, dir string) *offline.Release {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	r, err := offline.Open(manifest)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// askOffline answers a request, and brings the files that it needs.
func askOffline(t *testing.T, r *offline.Release, dir, raw string) (sent string) {
	t.Helper()
	head, body, _ := strings.Cut(raw, "\r\n\r\n")
	line, fields, _ := strings.Cut(head, "\r\n")
	words := strings.Split(line, " ")
	request := offline.Request{Method: []byte(words[0]), Target: []byte(words[1]), Body: []byte(body)}
	for field := range strings.SplitSeq(fields, "\r\n") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			request.Fields = append(request.Fields, offline.Field{Name: []byte(strings.ToLower(name)), Value: []byte(value)})
		}
	}
	for {
		response, files, err := r.Respond(&request)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			return fmt.Sprintf("HTTP/1.1 %d OK\r\n%s\r\n%s", response.Status, response.Fields, response.Body)
		}
		for _, f := range files {
			in, err := r.Receive(f.Environment)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(dir, f.Name))
			if err != nil {
				t.Fatal(err)
			}
			in.Arrived(copy(in.Rest(), b))
			if err := r.Load(in); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Package offline answers as both adapters of a node, also what is not content: the document at /, probes, and
// requests beyond the limits of a head, a body and its coding.
func TestOfflineAnswersAsANode(t *testing.T) {
	dir := t.TempDir()
	fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}}.write(t, dir)
	configure := func(c *ServerConfig) { c.Public = dir }
	fast, fastAddr := startServer(t, configure)
	fiber, fiberAddr := startEngine(t, configure)
	for _, s := range []*Server{fast, fiber} {
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r := openOffline(t, dir)
	const list, search = "/cda/rest/v1/demo/contents", "/cda/es/v1/demo"
	gzipped := string(compression.EncodeFast(contentcoding.Gzip, nil, []byte(`{"size":1}`), nil))
	bomb := string(compression.EncodeFast(contentcoding.Gzip, nil, bytes.Repeat([]byte(" "), address.DefaultBodyLimit+1), nil))
	for _, c := range []struct {
		name, method, target, fields, body string
		status                             int
	}{
		{"document", "GET", "/", "", "", 200},
		{"document as a page", "GET", "/", "Accept: text/html\r\n", "", 200},
		{"head of the page", "HEAD", "/", "Accept: text/html\r\n", "", 200},
		{"document, of another release", "GET", "/", "X-Release: 0123456789abcdef\r\n", "", 200},
		{"preflight of the document", "OPTIONS", "/", "Access-Control-Request-Method: GET\r\n", "", 204},
		{"method of the document", "DELETE", "/", "", "", 405},
		{"alive", "GET", "/livez", "", "", 200},
		{"ready", "GET", "/readyz?verbose", "", "", 200},
		{"head of a probe", "HEAD", "/readyz", "", "", 200},
		{"method of a probe", "PUT", "/livez", "", "", 405},
		{"preflight of a probe", "OPTIONS", "/livez", "", "", 204},
		{"OpenAPI", "GET", "/openapi.json?env=none", "", "", 200},
		{"part of OpenAPI", "GET", "/openapi.json", "Range: bytes=5-9\r\n", "", 206},
		{"head of OpenAPI, of another release", "HEAD", "/openapi.json", "X-Release: 0123456789abcdef\r\n", "", 412},
		{"list", "GET", list + "?pageSize=1", "", "", 200},
		{"unknown method", "PURGE", list, "", "", 405},
		{"unknown method of an unknown path", "PURGE", "/none", "", "", 404},
		{"search in gzip", "POST", search, "Content-Encoding: gzip\r\n", gzipped, 200},
		{"Elasticsearch's search in gzip", "POST", search + "/_search", "Content-Encoding: gzip\r\n", gzipped, 200},
		{"no gzip", "POST", search, "Content-Encoding: gzip\r\n", "{}", 400},
		{"no gzip, no environment", "POST", "/cda/es/v1/none", "Content-Encoding: gzip\r\n", "{}", 404},
		{"long in gzip", "POST", search + "/_search", "Content-Encoding: gzip\r\n", bomb, 413},
		{"other coding", "POST", search, "Content-Encoding: br\r\n", "{}", 415},
		{"other coding of several searches", "POST", "/cda/es/v1/_msearch", "Content-Encoding: br\r\n", "{}", 415},
		{"other coding, no environment", "POST", "/cda/es/v1/none", "Content-Encoding: br\r\n", "{}", 404},
		{"several searches", "POST", "/cda/es/v1/_msearch", "", "{\"index\":\"demo\"}\n{}\n{\"index\":\"none\"}\n{}\n", 200},
		{"several documents", "POST", "/cda/es/v1/_mget", "", `{"docs":[{"_index":"demo","_id":"Content_1"},{"_index":"none","_id":"Content_1"}]}`, 200},
		{"long body", "POST", search, "", strings.Repeat(" ", address.DefaultBodyLimit+1), 413},
		{"long head", "GET", list, "X-Long: " + strings.Repeat("x", address.DefaultHeadLimit) + "\r\n", "", 431},
		{"long address", "GET", list + "?name=" + strings.Repeat("x", address.DefaultHeadLimit), "", "", 431},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := c.method + " " + c.target + " HTTP/1.1\r\nHost: a\r\n" + c.fields
			if c.body != "" {
				raw += fmt.Sprintf("Content-Length: %d\r\n", len(c.body))
			}
			raw += "\r\n" + c.body
			got := askOffline(t, r, dir, raw)
			// A node refuses a head or a body that is too long before it has read all. It would reset the
			// connection if more had arrived.
			if c.status == 413 && len(c.body) > address.DefaultBodyLimit {
				raw = raw[:len(raw)-len(c.body)]
			}
			raw = raw[:min(len(raw), address.DefaultHeadLimit)]
			parsed, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), &http.Request{Method: c.method})
			if err != nil {
				t.Fatal(err)
			}
			if parsed.StatusCode != c.status {
				t.Errorf("status %d, want %d", parsed.StatusCode, c.status)
			}
			for name, addr := range map[string]string{"fast path": fastAddr, "Fiber": fiberAddr} {
				if want := wholeResponse(t, addr, raw); comparable(t, c.method, got) != comparable(t, c.method, want) {
					t.Errorf("%s:\noffline %s\nnode %s", name, got, want)
				}
			}
		})
	}
}

// comparable is a response with its fields in order, without those of the connection and without a reason.
func comparable(t *testing.T, method, sent string) string {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(sent)), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	for _, name := range ofConnection {
		r.Header.Del(name)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, r.StatusCode)
	if err := r.Header.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ReadFrom(r.Body); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
