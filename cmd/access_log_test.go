package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

// malformed are requests that the edge server refuses, and what the log shows of them.
var malformed = []struct{ what, request, target, agent, code string }{
	{"NUL in a field", "GET /a HTTP/1.1\r\nHost: a\r\nUser-Agent: scanner\r\nX: \x00\r\n\r\n", "/a", "scanner", "bad_request"},
	{"no Host", "GET /b HTTP/1.1\r\nUser-Agent: scanner\r\n\r\n", "/b", "scanner", "bad_request"},
	{"a length that is not a number", "POST /c HTTP/1.1\r\nHost: a\r\nUser-Agent: scanner\r\nContent-Length: abc\r\n\r\n", "/c", "scanner", "bad_request"},
	{"a long line", "GET /f" + strings.Repeat("x", 40<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", "/fxxx", "", "head_too_large"},
	{"TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n", `\x16\x03\x01\x00\xa5`, "", "bad_request"},
	{"an unknown version", "GET /g HTTP/9.9\r\nHost: a\r\nUser-Agent: scanner\r\n\r\n", "/g", "scanner", "bad_http_version"},
	{"two framings", "POST /h HTTP/1.1\r\nHost: a\r\nUser-Agent: scanner\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "/h", "scanner", "bad_framing"},
	{"an item that does not exist", "GET /cda/rest/v1/none/contents/x HTTP/1.1\r\nHost: a\r\nUser-Agent: scanner\r\nConnection: close\r\n\r\n", "/cda/rest/v1/none/contents/x", "scanner", "unknown_environment"},
	{"a wrong parameter", "GET /cda/rest/v1/site/contents?page=x HTTP/1.1\r\nHost: a\r\nUser-Agent: scanner\r\nConnection: close\r\n\r\n", "/cda/rest/v1/site/contents?page=x", "scanner", "bad_page"},
}

// TestMalformedRequestsAreLogged shows what was received of malformed requests, and the error codes of the responses, in
// every format, with and without the fast path.
func TestMalformedRequestsAreLogged(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	for _, format := range []string{"json", "text", "combined", "ecs"} {
		for _, fast := range []string{"auto", "off"} {
			t.Run(format+" "+fast, func(t *testing.T) {
				lines := accessLines(t, bin["edgeserve"], public, format, fast)
				for i, m := range malformed {
					line := strings.ReplaceAll(lines[i], `\\`, `\`)
					for _, text := range []string{m.target, m.agent, fmt.Sprintf(codes[format], m.code)} {
						if !strings.Contains(line, text) || len(line) > 4096 {
							t.Errorf("%s: the line lacks %q: %.1500s", m.what, text, line)
						}
					}
				}
			})
		}
	}
}

// codes is how each format shows an error code.
var codes = map[string]string{"json": `"error":"%s"`, "text": " error=%s ", "combined": ` "%s"`, "ecs": `"error.code":"%s"`}

// accessLines sends the malformed requests to a server, each on a connection, and returns their lines.
func accessLines(t *testing.T, bin, public, format, fast string) []string {
	t.Helper()
	addr := freeport.Addr(t)
	var out, problems bytes.Buffer
	cmd := exec.Command(bin, "--public", public, "--addr", addr, "--access-log", "--access-format", format, "--fast-path", fast)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitReady(t, "http://"+addr)
	for _, m := range malformed {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, m.request) // the server may refuse a long one before its end
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Logf("%s: %v", m.what, err)
		}
		_ = conn.Close()
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(malformed) {
		t.Fatalf("%d lines: %.2000s", len(lines), out.String())
	}
	return lines
}
