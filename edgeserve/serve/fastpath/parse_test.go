// This file tests the parser, and has random requests for other tests.

package fastpath

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"strings"
	"testing"
)

// randomRequest returns a complete request of one of many kinds.
func randomRequest(r *rand.Rand) string {
	root := []string{"/known/", "/computed/"}[r.Intn(2)]
	target := fmt.Sprint(root, r.Intn(3000))
	switch r.Intn(12) {
	case 0:
		target = "/unknown"
	case 1:
		target = fmt.Sprint(root, []int{3000 + r.Intn(20000), 20000, 30000}[r.Intn(3)])
	case 2:
		n := r.Intn(9000)
		target := []string{"/search", "/echo"}[r.Intn(2)]
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", target, n, strings.Repeat("GET /known/1 HTTP/1.1\r\n", n/23+1)[:n])
	case 3:
		return "GET " + target + " HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n"
	case 4:
		return "HEAD " + target + " HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
	case 5:
		return "OPTIONS " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"
	case 6:
		if r.Intn(2) == 0 {
			n := r.Intn(300)
			return fmt.Sprintf("POST /search HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nGET \r\n%X;a=b\r\n%s\r\n0\r\nX: y\r\n\r\n", n+1, strings.Repeat("\n", n+1))
		}
	}
	return "GET " + target + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n" + strings.Repeat("X-Filler: "+strings.Repeat("f", r.Intn(99))+"\r\n", r.Intn(12)) + "\r\n"
}

func TestVerdicts(t *testing.T) {
	const host = "Host: a\r\n"
	get := func(fields string) string { return "GET /x HTTP/1.1\r\n" + host + fields + "\r\n" }
	post := func(fields string) string { return "POST /x HTTP/1.1\r\n" + host + fields + "\r\n" }
	for _, c := range []struct {
		name, raw string
		want      verdict
	}{
		{"simple", get(""), fast},
		{"HEAD", "HEAD /x HTTP/1.1\r\n" + host + "\r\n", fast},
		{"keep-alive", get("connection: Keep-Alive\r\n"), fast},
		{"codings and tags", get("Accept-Encoding: br\r\nIf-None-Match: \"a\"\r\n"), fast},
		{"nothing", "", headIncomplete},
		{"TLS", "\x16\x03\x01\x00\xa5", notHTTP},
		{"HTTP/3", "\xc3\x00\x00\x00\x01", notHTTP},
		{"half an empty line first", "\r", headIncomplete},
		{"half a line", "GET /x HT", headIncomplete},
		{"half a field", "GET /x HTTP/1.1\r\nHost: a\r\nX: ", headIncomplete},
		{"no empty line", "GET /x HTTP/1.1\r\nHost: a\r\n", headIncomplete},
		{"half an empty line", "GET /x HTTP/1.1\r\nHost: a\r\n\r", headIncomplete},

		{"a bypass field", get("RANGE: bytes=0-1\r\n"), handOffOne},
		{"two codings", get("Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n"), handOffOne},
		{"two ids", get("X-Request-Id: a\r\nX-Request-Id: b\r\n"), handOffOne},
		{"two tags", get("If-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n"), handOffOne},
		{"a preflight", "OPTIONS /x HTTP/1.1\r\n" + host + "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n", handOffOne},
		{"OPTIONS of everything", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"OPTIONS with a body", "OPTIONS /x HTTP/1.1\r\n" + host + "Content-Length: 1\r\n\r\na", handOffConn},
		{"a method of no name", " /x HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"a method alone", "GET\r\n\r\n", handOffConn},
		{"POST without a body", post("Content-Length: 0\r\n"), fast},
		{"POST", post("Content-Length: 7\r\n") + "GET /x ", fast},
		{"POST of more than has arrived", post("Content-Length: 7\r\n") + "GET /x", bodyIncomplete},
		{"POST with a bypass field of more than has arrived", post("Content-Length: 7\r\nRange: bytes=0-1\r\n") + "GET /x", bodyIncomplete},
		{"POST with a bypass field", post("Content-Length: 7\r\nRange: bytes=0-1\r\n") + "GET /x ", handOffOne},

		{"POST of no length", post(""), handOffConn},
		{"POST of two lengths", post("Content-Length: 7\r\nContent-Length: 7\r\n"), handOffConn},
		{"POST of an odd length", post("Content-Length: +7\r\n"), handOffConn},
		{"POST of a huge length", post("Content-Length: 1234567890\r\n"), handOffConn},
		{"POST of a length of nothing", post("Content-Length:\r\n"), handOffConn},
		{"GET with a body", get("Content-Length: 7\r\n"), handOffConn},
		{"chunked", post("Transfer-Encoding: chunked\r\n"), bodyChunked},
		{"chunked GET", get("Transfer-Encoding: chunked\r\n"), bodyChunked},
		{"chunked and close", post("Transfer-Encoding: chunked\r\nConnection: close\r\n"), bodyChunked},
		{"chunked with an expectation", post("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"), handOffConn},
		{"chunked and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 7\r\n"), handOffConn},
		{"another coding", post("Transfer-Encoding: gzip, chunked\r\n"), handOffConn},
		{"expectation", post("Content-Length: 7\r\nExpect: 100-continue\r\n"), handOffConn},
		{"close", get("Connection: close\r\n"), handOffConn},
		{"upgrade", get("Connection: keep-alive, upgrade\r\n"), handOffConn},
		{"no Host", "GET /x HTTP/1.1\r\n\r\n", handOffConn},
		{"two Hosts", get(host), handOffConn},
		{"space in a field name", get("a b: c\r\n"), handOffConn},
		{"folded", get("A: b\r\n c\r\n"), handOffConn},
		{"bare LF", "GET /x HTTP/1.1\nHost: a\n\n", notHTTP},
		{"space in the target", "GET /x {} HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"two spaces", "GET /x  HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"HTTP/1.0", "GET /x HTTP/1.0\r\n" + host + "\r\n", handOffConn},
		{"other method", "PUT /x HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"absolute form", "GET http://a/x HTTP/1.1\r\n" + host + "\r\n", handOffConn},
		{"empty line first", "\r\n" + get(""), handOffConn},
		{"TLS", "\x16\x03\x01\n", notHTTP},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParser([]string{"range"})
			var r parsedRequest
			v, size := p.parse([]byte(c.raw), 0, &r)
			if v != c.want {
				t.Fatalf("verdict %d, want %d", v, c.want)
			}
			want := len(c.raw)
			if strings.HasSuffix(c.name, "has arrived") {
				want++
			}
			if v != headIncomplete && v != handOffConn && v != notHTTP && size != want {
				t.Errorf("size %d, want %d", size, want)
			}
			if again, sizeAgain := parseByteByByte(&p, []byte(c.raw)); v != handOffConn && (again != v || sizeAgain != size) || v == handOffConn && again != handOffConn && again != notHTTP {
				t.Errorf("byte by byte: verdict %d, size %d, want %d, %d", again, sizeAgain, v, size)
			}
		})
	}
}

// parseByteByByte parses a request that arrives byte by byte until its head decides, and then
// all of it.
func parseByteByByte(p *parser, b []byte) (v verdict, size int) {
	var r parsedRequest
	for n, scanned := 1, 0; n < len(b); n++ {
		if v, _ = p.parse(b[:n], scanned, &r); v != headIncomplete && v != bodyIncomplete {
			break
		}
		if scanned = 0; v == headIncomplete {
			scanned = r.lineBytes
		}
	}
	if v == handOffConn || v == notHTTP {
		return v, 0
	}
	scanned := 0
	if v == headIncomplete {
		scanned = r.lineBytes
	}
	return p.parse(b, scanned, &r)
}

// Where the parser knows the end of a request, net/http must see the same request in the same
// bytes.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for range 20 {
		f.Add([]byte(randomRequest(r)))
	}
	f.Add([]byte("0 * HTTP/0.0\n\n"))
	parser := newParser([]string{"range"})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p parsedRequest
		v, size := parser.parse(b, 0, &p)
		if v == headIncomplete || v == handOffConn || v == notHTTP {
			return // the parser knows no end of the request
		}
		in := bytes.NewReader(b)
		buffered := bufio.NewReader(in)
		req, err := http.ReadRequest(buffered)
		if err != nil {
			return // stricter than the parser; Fiber decides
		}
		head := len(b) - in.Len() - buffered.Buffered()
		if sent, err := io.ReadAll(req.Body); v == fast && (err != nil || !bytes.Equal(sent, p.Request.Body)) {
			t.Errorf("%q: body %q, net/http sees %q (%v)", b, p.Request.Body, sent, err)
		}
		if req.RequestURI != string(p.Request.Target) || size != head+int(max(0, req.ContentLength)) {
			t.Errorf("%q: target %q of %d bytes, net/http sees %q of %d and %d", b, p.Request.Target, size, req.RequestURI, head, req.ContentLength)
		}
	})
}
