package wire

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

// randomRequest is one of many kinds; all are complete.
func randomRequest(r *rand.Rand) string {
	root := []string{"/known/", "/made/"}[r.Intn(2)]
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
		if r.Intn(4) == 0 {
			return "POST /search HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nGET \r\n0\r\n\r\n"
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
		{"plain", get(""), plain},
		{"HEAD", "HEAD /x HTTP/1.1\r\n" + host + "\r\n", plain},
		{"keep-alive", get("connection: Keep-Alive\r\n"), plain},
		{"codings and tags", get("Accept-Encoding: br\r\nIf-None-Match: \"a\"\r\n"), plain},
		{"nothing", "", more},
		{"TLS", "\x16\x03\x01\x00\xa5", alien},
		{"HTTP/3", "\xc3\x00\x00\x00\x01", alien},
		{"an empty line and no end", "\r", more},
		{"half a line", "GET /x HT", more},
		{"half a field", "GET /x HTTP/1.1\r\nHost: a\r\nX: ", more},
		{"no empty line", "GET /x HTTP/1.1\r\nHost: a\r\n", more},
		{"half an empty line", "GET /x HTTP/1.1\r\nHost: a\r\n\r", more},

		{"a deciding field", get("RANGE: bytes=0-1\r\n"), bounded},
		{"two codings", get("Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n"), bounded},
		{"two ids", get("X-Request-Id: a\r\nX-Request-Id: b\r\n"), bounded},
		{"two tags", get("If-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n"), bounded},
		{"a preflight", "OPTIONS /x HTTP/1.1\r\n" + host + "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n", bounded},
		{"OPTIONS of everything", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"OPTIONS with a body", "OPTIONS /x HTTP/1.1\r\n" + host + "Content-Length: 1\r\n\r\na", foreign},
		{"a method of no name", " /x HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"a method alone", "GET\r\n\r\n", foreign},
		{"POST without a body", post("Content-Length: 0\r\n"), plain},
		{"POST", post("Content-Length: 7\r\n") + "GET /x ", plain},
		{"POST of more than has arrived", post("Content-Length: 7\r\n") + "GET /x", partial},
		{"POST with a deciding field of more than has arrived", post("Content-Length: 7\r\nRange: bytes=0-1\r\n") + "GET /x", partial},
		{"POST with a deciding field", post("Content-Length: 7\r\nRange: bytes=0-1\r\n") + "GET /x ", bounded},

		{"POST of no length", post(""), foreign},
		{"POST of two lengths", post("Content-Length: 7\r\nContent-Length: 7\r\n"), foreign},
		{"POST of an odd length", post("Content-Length: +7\r\n"), foreign},
		{"POST of a huge length", post("Content-Length: 1234567890\r\n"), foreign},
		{"POST of a length of nothing", post("Content-Length:\r\n"), foreign},
		{"GET with a body", get("Content-Length: 7\r\n"), foreign},
		{"chunked", post("Transfer-Encoding: chunked\r\n"), foreign},
		{"expectation", post("Content-Length: 7\r\nExpect: 100-continue\r\n"), foreign},
		{"close", get("Connection: close\r\n"), foreign},
		{"upgrade", get("Connection: keep-alive, upgrade\r\n"), foreign},
		{"no Host", "GET /x HTTP/1.1\r\n\r\n", foreign},
		{"two Hosts", get(host), foreign},
		{"bad field", get("a b: c\r\n"), foreign},
		{"folded", get("A: b\r\n c\r\n"), foreign},
		{"bare LF", "GET /x HTTP/1.1\nHost: a\n\n", foreign},
		{"space in the target", "GET /x {} HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"two spaces", "GET /x  HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"old", "GET /x HTTP/1.0\r\n" + host + "\r\n", foreign},
		{"other method", "PUT /x HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"absolute form", "GET http://a/x HTTP/1.1\r\n" + host + "\r\n", foreign},
		{"empty line first", "\r\n" + get(""), foreign},
		{"TLS", "\x16\x03\x01\n", foreign},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParser([]string{"range"})
			var r parsed
			v, size := p.parse([]byte(c.raw), 0, &r)
			if v != c.want {
				t.Fatalf("verdict %d, want %d", v, c.want)
			}
			want := len(c.raw)
			if strings.HasSuffix(c.name, "has arrived") {
				want++
			}
			if v != more && v != foreign && v != alien && size != want {
				t.Errorf("size %d, want %d", size, want)
			}
			if again, sizeAgain := byteByByte(&p, []byte(c.raw)); v != foreign && (again != v || sizeAgain != size) || v == foreign && again != foreign && again != alien {
				t.Errorf("byte by byte: verdict %d, size %d, want %d, %d", again, sizeAgain, v, size)
			}
		})
	}
}

// byteByByte parses a request each time that a byte more of it has arrived, until that is
// decided which the head decides, and then all of it.
func byteByByte(p *parser, b []byte) (v verdict, size int) {
	var r parsed
	for n, known := 1, 0; n < len(b); n++ {
		if v, _ = p.parse(b[:n], known, &r); v != more && v != partial {
			break
		}
		if known = 0; v == more {
			known = r.lines
		}
	}
	if v == foreign || v == alien {
		return v, 0
	}
	known := 0
	if v == more {
		known = r.lines
	}
	return p.parse(b, known, &r)
}

// What was read of a head is not read again with every byte that comes.
func TestLongHeadIsReadOnce(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	sent := "GET /known/3 HTTP/1.1\r\nHost: a\r\n"
	s.send(c, client, sent)
	for _, next := range []string{"X: " + strings.Repeat("x", 100) + "\r\n", "Y: y\r", "\n", "Z", ": z\r\n"} {
		s.send(c, client, next)
		sent += next
		if want := strings.LastIndex(sent, "\n") + 1; c.lines != want {
			t.Errorf("%q: %d bytes are known, want %d", sent, c.lines, want)
		}
	}
	// What lies behind is not looked at: a field that is none would be the engine's.
	at := strings.Index(sent, "X: ")
	c.in[at+1] = 'x'
	s.send(c, client, "A: b\r\n")
	if c.place != ours {
		t.Errorf("the head is read again: place %d", c.place)
	}
	c.in[at+1] = ':'
	s.send(c, client, "\r\n")
	s.until("it is answered", func() bool { return c.asked })
	if c.lines != 0 {
		t.Errorf("%d bytes are known of a head that has not begun", c.lines)
	}
}

// Where a request is taken for plain or its end for known, an honest other reader must
// see the same request in the same bytes.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for range 20 {
		f.Add([]byte(randomRequest(r)))
	}
	judge := newParser([]string{"range"})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p parsed
		v, size := judge.parse(b, 0, &p)
		if v == more || v == foreign {
			return
		}
		in := bytes.NewReader(b)
		buffered := bufio.NewReader(in)
		req, err := http.ReadRequest(buffered)
		if err != nil {
			return // stricter than we are; the engine judges
		}
		head := len(b) - in.Len() - buffered.Buffered()
		if sent, err := io.ReadAll(req.Body); v == plain && (err != nil || !bytes.Equal(sent, p.Body)) {
			t.Errorf("%q: body %q, another reader sees %q (%v)", b, p.Body, sent, err)
		}
		if req.RequestURI != string(p.Target) || size != head+int(max(0, req.ContentLength)) {
			t.Errorf("%q: target %q of %d bytes, another reader sees %q of %d and %d", b, p.Target, size, req.RequestURI, head, req.ContentLength)
		}
	})
}
