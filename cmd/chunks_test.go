// This file tests chunked request bodies.
package cmd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hearAll sends a request in packets of the given size, followed by another request. It
// returns the statuses of all responses until the second one or the end of the
// connection.
func hearAll(t *testing.T, addr, request string, packet int) (statuses []int) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	sent := make(chan error, 1)
	go func() {
		raw := request + "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
		for len(raw) > 0 {
			n := min(packet, len(raw))
			if _, err := io.WriteString(conn, raw[:n]); err != nil {
				sent <- err
				return
			}
			raw = raw[n:]
		}
		sent <- nil
	}()
	r := bufio.NewReader(conn)
	for len(statuses) < 2 {
		resp, err := http.ReadResponse(r, nil)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			t.Fatalf("after %v: %v", statuses, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatalf("after %v: %v", statuses, err)
		}
		statuses = append(statuses, resp.StatusCode)
	}
	_ = conn.Close()
	<-sent // the server may refuse the rest
	return statuses
}

// A chunked body that another parser could read differently is refused, and the
// connection ends. A valid body gets a response, and so does the next request.
func TestChunkedBodies(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	addr := strings.TrimPrefix(serve(t, bin["edgeserve"], public), "http://")
	const query = `{"size":1}`
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(query), query)
	for _, c := range []struct {
		name, body string
		want       string
	}{
		{"one chunk", chunk + "0\r\n\r\n", "[200 200]"},
		{"trailers", chunk + "0\r\nX-A: b\r\nX-C:\r\n\r\n", "[200 200]"},
		{"extensions", fmt.Sprintf("%X;a;b=c;d=\"e;\\\"\"\r\n%s\r\n000;x\r\n\r\n", len(query), query), "[200 200]"},
		{"two chunks", "1\r\n{\r\n9\r\n" + query[1:] + "\r\n0\r\n\r\n", "[200 200]"},
		{"long", fmt.Sprintf("186a0\r\n%100000s\r\n", "") + chunk + "0\r\n\r\n", "[200 200]"},

		{"LF at the end", chunk + "0\r\n\n", "[400]"},
		{"LF behind the last size", chunk + "0\n\r\n", "[400]"},
		{"LF behind a trailer", chunk + "0\r\nX: y\n\r\n", "[400]"},
		{"LF behind a size", fmt.Sprintf("%x\n%s\r\n0\r\n\r\n", len(query), query), "[400]"},
		{"LF behind the data", fmt.Sprintf("%x\r\n%s\n0\r\n\r\n", len(query), query), "[400]"},
		{"too long", "40001\r\n" + strings.Repeat(" ", 40<<10), "[413]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for fields, end := range map[string]bool{"": false, "Connection: close\r\n": true} {
				for _, packet := range []int{1 << 20, 1} {
					if packet == 1 && len(c.body) > 1<<10 {
						packet = 3000
					}
					request := "POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + fields + "\r\n" + c.body
					want := c.want
					if end {
						want = strings.Replace(want, " 200]", "]", 1)
					}
					if got := fmt.Sprint(hearAll(t, addr, request, packet)); got != want {
						t.Errorf("%q in packets of %d: %s, want %s", fields, packet, got, want)
					}
				}
			}
		})
	}
}
