package edgeserve

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

// Bodies beyond the memory for them are refused, whoever receives them; what they held
// comes back.
func TestRequestMemory(t *testing.T) {
	const size = 100 << 10
	s, addr := startServer(t, func(c *ServerConfig) { c.RequestBytes = 2*size + size/2 })
	for _, fields := range []string{"", "Connection: close\r\n"} {
		text := fmt.Sprintf("POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\n%sContent-Length: %d\r\n\r\n%s", fields, size, strings.Repeat(" ", size-1))
		var conns []net.Conn
		for range 2 {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
		}
		waitFor(t, "the bodies are held", func() bool { return s.fiber.requests.Left() < size*3/4 })
		if code := onlyCode(t, addr, text); code != "overloaded" {
			t.Errorf("%q: %s", fields, code)
		}
		for _, conn := range conns {
			_ = conn.Close()
		}
		waitFor(t, "it is given back", func() bool { return s.fiber.requests.Left() == s.cfg.RequestBytes })
		if code := onlyCode(t, addr, text+" "); code != "not_ready" {
			t.Errorf("%q: %s", fields, code)
		}
	}
}

// onlyCode is the code of the one error that answers what is sent.
func onlyCode(t *testing.T, addr, text string) string {
	t.Helper()
	answers, _ := exchange(t, addr, text)
	if len(answers) != 1 {
		t.Fatalf("%v", statuses(answers))
	}
	body, err := io.ReadAll(answers[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(body), `"code":"`)
	code, _, _ := strings.Cut(rest, `"`)
	return code
}

// A body that is too long is refused with the same bytes however its length is told.
func TestTooLongIsTheSame(t *testing.T) {
	needsFastPath(t, "fasthttp takes memory for a chunk, and waits for its bytes")
	_, addr := startServer(t, func(c *ServerConfig) { c.BodyLimit, c.Origins = 1000, []string{"https://a.example"} })
	const head = "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\nOrigin: https://a.example\r\n"
	var heard []string
	for _, rest := range []string{"Content-Length: 1001\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e9\r\n"} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head+rest); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		before, date, _ := strings.Cut(string(b), "Date: ")
		heard = append(heard, before+date[len("Mon, 02 Jan 2006 15:04:05 GMT"):])
	}
	if heard[0] != heard[1] || !strings.HasPrefix(heard[0], "HTTP/1.1 413 ") || !strings.Contains(heard[0], "one") || !strings.Contains(heard[0], "https://a.example") {
		t.Errorf("%s\n\n%s", heard[0], heard[1])
	}
}

// Behind a chunked body whose end the grammar has given the next request is answered. Behind one
// of which only fasthttp has found the end, on the fast path after Expect, nothing is.
func TestRequestBehindChunks(t *testing.T) {
	_, addr := startServer(t, nil)
	for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
		want, ends := []int{503, 200}, hasFastPath() && expect != ""
		if expect != "" {
			want = []int{100, 503, 200}
		}
		if ends {
			want = want[:2]
		}
		answers, closed := exchangeAll(t, addr, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\n"+expect+"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n", len(want))
		if got := statuses(answers); !slices.Equal(got, want) || closed != ends {
			t.Errorf("%q: answered %v, closed %v; want %v", expect, got, closed, want)
		}
	}
}

// A chunked body that ends before its last chunk is not a shorter body.
func TestCutChunkedBody(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for _, fields := range []string{"", "Expect: 100-continue\r\n"} {
		for _, body := range []string{"2\r\n{}\r\n", "2\r\n{}\r\n0\r\n", "2\r\n{}\r\n0\r\n\r\n"} {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, "POST "+esRoot+" HTTP/1.1\r\nHost: a\r\n"+fields+"Transfer-Encoding: chunked\r\n\r\n"+body); err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(conn)
			if err != nil {
				t.Fatal(err)
			}
			want := "HTTP/1.1 400 "
			if strings.HasSuffix(body, "0\r\n\r\n") {
				want = "HTTP/1.1 200 "
			}
			if !strings.Contains(string(b), want) || strings.Count(string(b), "\r\nContent-Type: ") != 1 {
				t.Errorf("%q, %q: %.300s", fields, body, b)
			}
			_ = conn.Close()
		}
	}
}
