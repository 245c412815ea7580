// These tests put a real nginx with its own defaults before the server: what it cannot take
// it answers 502, and leaves the server alone for ten seconds.

package edgeserve

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

// startNginx runs nginx before a server, named twice, until the test ends. With one name
// alone, nginx would not leave it alone.
func startNginx(t *testing.T, edge string) (addr string) {
	t.Helper()
	bin, err := exec.LookPath("nginx")
	if err != nil {
		t.Skipf("nginx is not installed: what it makes of responses is not tested here (%v)", err)
	}
	addr = freeport.Addr(t)
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(edge)
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
	access_log off; client_max_body_size 100m;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	upstream edge { server 127.0.0.1:%[2]s; server 127.0.0.1:%[2]s; keepalive 8; }
	server {
		listen %[3]s;
		location / { proxy_pass http://edge; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}`, dir, port, addr)
	writeFile(t, filepath.Join(dir, "nginx.conf"), []byte(config))
	cmd := exec.Command(bin, "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx: %.3000s", log.String())
		}
	})
	for limit := time.Now().Add(patient); ; {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return addr
		}
		if time.Now().After(limit) {
			t.Fatalf("nginx does not listen: %s", log.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// statusOf sends a request and reads the status of its response.
func statusOf(t *testing.T, addr, method, target, fields, body string) (status int) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	go func() {
		_, _ = io.WriteString(conn, method+" "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"+fields+"\r\n"+body)
	}()
	b, _ := io.ReadAll(conn)
	if _, err := fmt.Sscanf(string(b), "HTTP/1.1 %d", &status); err != nil {
		t.Errorf("%s %.60s: %q", method, target, b)
	}
	return status
}

// Nothing that a client sends through nginx makes a 502, nor takes the server from others.
func TestBehindNginx(t *testing.T) {
	_, edge, _ := startSite(t, site)
	addr := startNginx(t, edge)
	body := strings.Repeat(" ", 2<<20)
	for _, c := range []struct {
		name, method, target, fields, body string
		want                               int
	}{
		{"a filter that is too long", "GET", listRoot + "?searchByName=" + strings.Repeat("a", 3000), "", "", 400},
		{"a long filter", "GET", listRoot + "?searchByName=" + strings.Repeat("a", 1000), "", "", 200},
		{"a long order", "GET", listRoot + "?sort=Data." + strings.Repeat("a", 3000), "", "", 200},
		{"a large body", "POST", esRoot, fmt.Sprintf("Content-Length: %d\r\n", len(body)), body, 413},
		{"a large body in chunks", "POST", esRoot, "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body), 413},
		{"a large body where none is read", "PUT", listRoot, fmt.Sprintf("Content-Length: %d\r\n", len(body)), body, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all sync.WaitGroup
			for range 30 {
				all.Go(func() {
					if got := statusOf(t, addr, c.method, c.target, c.fields, c.body); got != c.want {
						t.Errorf("answered %d, want %d", got, c.want)
					}
					if got := statusOf(t, addr, "GET", listRoot, "", ""); got != 200 {
						t.Errorf("an ordinary request is answered %d", got)
					}
				})
			}
			all.Wait()
		})
	}
}
