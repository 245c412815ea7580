package edgeserve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/wire/release"
)

// startServer serves on a loopback port until the test ends.
func startServer(t *testing.T, change func(*ServerConfig)) (*Server, string) {
	t.Helper()
	s, ln := newServer(t, change)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, ln.Addr().String()
}

// needsFastPath skips a test of what Fiber alone does otherwise.
func needsFastPath(t *testing.T, otherwise string) {
	t.Helper()
	if !hasFastPath() {
		t.Skip("without the fast path " + otherwise)
	}
}

// hasFastPath reports whether the servers of the tests have a fast path.
func hasFastPath() bool {
	return runtime.GOOS == "linux" && os.Getenv("TEST_CONTENTEDGE_FAST_PATH") != FastPathOff
}

// newServer makes a server that does not serve yet, and a listener for it.
func newServer(t *testing.T, change func(*ServerConfig)) (*Server, net.Listener) {
	t.Helper()
	cfg := Defaults()
	cfg.Public = t.TempDir()
	cfg.PollInterval = 0
	cfg.FastPath = cmp.Or(os.Getenv("TEST_CONTENTEDGE_FAST_PATH"), cfg.FastPath)
	cfg.StartTimeout, cfg.DrainGrace = 0, 0
	cfg.SearchTimeout = cfg.WriteTimeout // a busy machine is slow
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	if change != nil {
		change(&cfg)
	}
	cfg.SearchTimeout = min(cfg.SearchTimeout, cfg.WriteTimeout)
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := netlimit.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	return s, ln
}

// exchange sends a request on a connection of its own, and reads on behind its response until
// the server closes the connection or is silent. It returns the responses and whether the server
// closed.
func exchange(t *testing.T, addr, raw string) (answers []*http.Response, closed bool) {
	t.Helper()
	return exchangeAll(t, addr, raw, 1)
}

// exchangeAll is exchange for several responses. It waits long for those that are to come: a busy
// machine is silent too.
func exchangeAll(t *testing.T, addr, raw string, want int) (answers []*http.Response, closed bool) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	method, _, _ := strings.Cut(strings.TrimLeft(raw, "\r\n"), " ")
	for {
		silence := 150 * time.Millisecond
		if len(answers) < want {
			silence = time.Minute
		}
		_ = conn.SetReadDeadline(time.Now().Add(silence))
		resp, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			var netErr net.Error
			return answers, !(errors.As(err, &netErr) && netErr.Timeout())
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("body of answer %d: %v", len(answers), err)
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		answers = append(answers, resp)
	}
}

// The second request of every case is a complete one: where the first is refused, it
// must not be answered.
func TestHeadCheck(t *testing.T) {
	_, addr := startServer(t, nil)
	const next = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
	get := func(fields string) string { return "GET /livez HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" }
	post := func(fields, body string) string {
		return "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body
	}
	const emptyChunk = "0\r\n\r\n"
	served, notReady := []int{200, 200}, []int{503, 200}
	for _, c := range []struct {
		name, raw string
		want      []int
	}{
		{"plain", get(""), served},
		{"tab around a value", get("X-A:\tb\t\r\n"), served},
		{"bytes above ASCII in a value", get("X-A: \xff\r\n"), served},
		{"one leading CRLF", "\r\n" + get(""), served},
		{"absolute form", "GET http://b/livez HTTP/1.1\r\nHost: a\r\n\r\n", served},
		{"port", "GET /livez HTTP/1.1\r\nHost: a.example:80\r\n\r\n", served},
		{"IPv6 literal", "GET /livez HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", served},
		{"HTTP/1.0 without Host", "GET /livez HTTP/1.0\r\n\r\n", []int{200}},
		{"HTTP/1.0 keep-alive", "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", served},

		{"control byte in a value", get("X-A: a\x01b\r\n"), []int{400}},
		{"NUL in a value", get("X-A: a\x00b\r\n"), []int{400}},
		{"bare CR in a value", get("X-A: a\rX-B: b\r\n"), []int{400}},
		{"space in a name", get("X A: b\r\n"), []int{400}},
		{"space before the colon", get("X-A : b\r\n"), []int{400}},
		{"empty name", get(": b\r\n"), []int{400}},
		{"no colon", get("garbage\r\n"), []int{400}},
		{"folded line", get("X-A: a\r\n b\r\n"), []int{400}},
		{"white space before the first field", "GET /livez HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n", []int{400}},
		{"bare LF among CRLFs", get("X-A: a\nX-B: b\r\n"), []int{400}},

		{"HTTP/1.2", "GET /livez HTTP/1.2\r\nHost: a\r\n\r\n", []int{505}},
		{"HTTP/2.0", "GET /livez HTTP/2.0\r\nHost: a\r\n\r\n", []int{505}},
		{"HTTP/9.9", "GET /livez HTTP/9.9\r\nHost: a\r\n\r\n", []int{505}},
		{"not HTTP", "GET /livez HTTX/1.1\r\nHost: a\r\n\r\n", []int{400}},
		{"fragment", "GET /livez#x HTTP/1.1\r\nHost: a\r\n\r\n", []int{400}},

		{"no Host", "GET /livez HTTP/1.1\r\n\r\n", []int{400}},
		{"two Hosts", get("Host: a\r\n"), []int{400}},
		{"Host with user", "GET /livez HTTP/1.1\r\nHost: u@a\r\n\r\n", []int{400}},
		{"Host with path", "GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n", []int{400}},
		{"Host with space", "GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n", []int{400}},
		{"Host with odd port", "GET /livez HTTP/1.1\r\nHost: a:8x\r\n\r\n", []int{400}},
		{"Host with open bracket", "GET /livez HTTP/1.1\r\nHost: [::1\r\n\r\n", []int{400}},

		{"chunked body", post("Transfer-Encoding: chunked\r\n", emptyChunk), notReady},
		{"chunked in capitals", post("transfer-ENCODING: Chunked\r\n", emptyChunk), notReady},
		{"body of given length", post("Content-Length: 2\r\n", "{}"), notReady},
		{"body with GET", get("Content-Length: 2\r\n") + "{}", served},
		{"both lengths", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", emptyChunk), []int{400}},
		{"two lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), []int{400}},
		{"length list", post("Content-Length: 2, 2\r\n", "{}"), []int{400}},
		{"signed length", post("Content-Length: +2\r\n", "{}"), []int{400}},
		{"identity", post("Transfer-Encoding: identity\r\n", ""), []int{400}},
		{"gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", emptyChunk), []int{400}},
		{"xchunked", post("Transfer-Encoding: xchunked\r\n", emptyChunk), []int{400}},
		{"Kelvin sign", post("Transfer-Encoding: chun\u212aed\r\n", emptyChunk), []int{400}},
		{"chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", emptyChunk), []int{400}},
		{"chunked in HTTP/1.0", "POST /livez HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + emptyChunk, []int{400}},
		{"bad chunk size", post("Transfer-Encoding: chunked\r\n", "zz\r\n"), []int{400}},
		{"LF behind the last chunk", post("Transfer-Encoding: chunked\r\n", "0\r\n\n"), []int{400}},
		{"LF behind the last chunk of the last request", post("Transfer-Encoding: chunked\r\nConnection: close\r\n", "0\r\n\n"), []int{400}},

		{"Connection: close", get("Connection: close\r\n"), []int{200}},
		{"Connection: CLOSE", get("Connection: CLOSE\r\n"), []int{200}},
		{"Connection: x, close", get("Connection: x, close\r\n"), []int{200}},
		{"two Connections", get("Connection: close\r\nConnection: x\r\n"), []int{200}},
		{"closed, not close", get("Connection: closed\r\n"), served},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers, closed := exchangeAll(t, addr, c.raw+next, len(c.want))
			got := statuses(answers)
			if len(got) != len(c.want) || got[0] != c.want[0] {
				t.Fatalf("answered %v, want %v", got, c.want)
			}
			// A cache goes by the target, which is sound in most of them.
			if got := answers[0].Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control %q", got)
			}
			if wantClosed := len(c.want) == 1; closed != wantClosed {
				t.Errorf("closed: %v, want %v", closed, wantClosed)
			}
		})
	}
}

func statuses(answers []*http.Response) []int {
	got := []int{}
	for _, a := range answers {
		got = append(got, a.StatusCode)
	}
	return got
}

func TestRefusalsRepeatNothing(t *testing.T) {
	_, addr := startServer(t, nil)
	const marker = "bananaphone"
	for name, raw := range map[string]string{
		"header":  "GET / HTTP/1.1\r\nHost: a\r\nX-" + marker + "\r\n\r\n",
		"method":  strings.ToUpper(marker) + " / HTTP/1.1\r\nHost: a\r\n\r\n",
		"path":    "GET /" + marker + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"version": "GET / " + marker + "\r\nHost: a\r\n\r\n",
		"big":     "GET /" + strings.Repeat(marker, 2000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			answers, _ := exchange(t, addr, raw)
			if len(answers) != 1 {
				t.Fatalf("%d answers", len(answers))
			}
			var b bytes.Buffer
			if err := answers[0].Write(&b); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.ToLower(b.String()), marker) {
				t.Errorf("the answer repeats the request:\n%s", b.String())
			}
			if got := answers[0].Header.Get("Content-Type"); got != release.ContentType {
				t.Errorf("Content-Type %q", got)
			}
		})
	}
}

// The time of a head that comes in parts is over with it: the body has its own.
func TestBodyBehindHeadInParts(t *testing.T) {
	t.Parallel()
	const headTime = 3 * time.Second // more than a busy machine needs for two writes
	_, addr := startServer(t, func(c *ServerConfig) { c.HeaderTimeout = headTime })
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	send("POST /livez HTTP/1.1\r\nHost: a\r\nTransfer-")
	<-time.After(200 * time.Millisecond) // so that it is read alone
	send("Encoding: chunked\r\n\r\n")
	// Nothing but time ends a head's time: what is over is looked for once a second.
	<-time.After(headTime + 2*time.Second)
	send("0\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != 405 {
		t.Errorf("%v, %v", answer, err)
	}
}
