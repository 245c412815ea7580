// This file tests how much memory clients can make the edge server use.
package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/address"
)

// edge is a running edge server.
type edge struct {
	addr string
	pid  int
	exit chan error
}

// startEdge serves a release until the test ends.
func startEdge(t *testing.T, bin, public string, flags ...string) edge {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("what a process holds is read from /proc")
	}
	e := edge{addr: freeport.Addr(t), exit: make(chan error, 1)}
	return e.start(t, exec.Command(bin, append(flags, "--public", public, "--addr", e.addr)...))
}

// start starts the process.
func (e edge) start(t *testing.T, cmd *exec.Cmd) edge {
	t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.pid = cmd.Process.Pid
	go func() { e.exit <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-e.exit
		if t.Failed() {
			t.Logf("edge server:\n%s", log.String())
		}
	})
	waitReady(t, "http://"+e.addr)
	return e
}

// anonymous is the process's anonymous memory, in bytes.
func (e edge) anonymous(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	if rest == "" {
		t.Fatal("the edge server has ended")
	}
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// dial opens a connection and sends text.
func (e edge) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", e.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func sampleSite(t *testing.T, generator string) string {
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, generator, "../content", public)
	return public
}

// A declared body that has not arrived costs no more than its connection.
func TestPromisedBodies(t *testing.T) {
	const conns, each = 300, 72 << 10
	bin := binaries(t, "generator", "edgeserve")
	public := sampleSite(t, bin["generator"])
	const search = "POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\n"
	for _, c := range []struct {
		name, text string
		answer     string // at once, or none
	}{
		{"length", search + "Content-Length: 262144\r\n\r\n{", ""},
		{"length, closing", search + "Connection: close\r\nContent-Length: 262144\r\n\r\n" + strings.Repeat(" ", 9000), ""},
		{"expectation", search + "Expect: 100-continue\r\nContent-Length: 262144\r\n\r\n", "100 Continue"},
		{"chunk", search + "Transfer-Encoding: chunked\r\n\r\n40000\r\n{", ""},
		{"GET with a body", "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n" + strings.Repeat(" ", 9000), ""},
		{"HTTP/1.0", "POST /cda/es/v1/site HTTP/1.0\r\nContent-Length: 262144\r\n\r\n" + strings.Repeat(" ", 9000), ""},
		{"unknown method", "PUT /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n", "405 Method Not Allowed"},
		{"unknown route", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n{", "404 Not Found"},
		{"unknown route, offered", "PUT /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 262144\r\n\r\n", "404 Not Found"},
		{"unknown route, chunked", "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n{", "404 Not Found"},
		{"refused head", "PUT /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 262144\r\n\r\n", "400 Bad Request"},
		{"too long", search + "Expect: 100-continue\r\nContent-Length: 262145\r\n\r\n", "413 Request Entity Too Large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := startEdge(t, bin["edgeserve"], public)
			before := e.anonymous(t)
			for range conns {
				conn := e.dial(t, c.text)
				if c.answer == "" {
					continue
				}
				line, err := bufio.NewReader(conn).ReadString('\n')
				if err != nil || line != "HTTP/1.1 "+c.answer+"\r\n" {
					t.Fatalf("%q, %v", line, err)
				}
			}
			e.settle(t)
			grown := (e.anonymous(t) - before) / conns
			t.Logf("%d bytes a connection", grown)
			if grown > each {
				t.Errorf("a connection takes %d bytes", grown)
			}
		})
	}
}

// settle waits until the server has read what was sent before.
func (e edge) settle(t *testing.T) {
	t.Helper()
	for range 20 {
		r, err := http.Get("http://" + e.addr + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
}

// largeSite is a release of 2,000 items of about 9 KiB.
func largeSite(t *testing.T, generator string) string {
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(1, 1))
	var items bytes.Buffer
	for i := range 2000 {
		words := make([]byte, 0, 9<<10)
		for len(words) < 8<<10 {
			words = append(strconv.AppendUint(words, 1e9+rnd.Uint64N(5000), 36), ' ')
		}
		fmt.Fprintf(&items, `{"ContentID":"Content_%d","Name":"item %d","TemplateName":"Large","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":%q}}`+"\n", i, i, words)
	}
	return siteOf(t, generator, dir, items.Bytes())
}

// siteOf is a release of items, in NDJSON.
func siteOf(t *testing.T, generator, dir string, items []byte) string {
	content := filepath.Join(dir, "content")
	if err := os.MkdirAll(filepath.Join(content, "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), items, 0o644); err != nil {
		t.Fatal(err)
	}
	public := filepath.Join(dir, "public")
	if out, err := exec.Command(generator, "build", "--content", content, "--out", public, "--quiet", "--compress", "none", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return public
}

// Highlights are bounded while they are made: a short request for very long ones costs little.
func TestLongHighlights(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	item := fmt.Sprintf(`{"ContentID":"a","Name":"n","TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":%q}}`, strings.Repeat("bread ", 175_000))
	e := boxes["flag"](t, bin["edgeserve"], siteOf(t, bin["generator"], t.TempDir(), []byte(item)))
	tag := strings.Repeat("t", 250)
	for _, kind := range []string{"unified", "plain"} {
		body := fmt.Sprintf(`{"query":{"match":{"Data.text":"bread"}},"highlight":{"type":"%s","pre_tags":["%s"],"post_tags":["%[2]s"],"number_of_fragments":0,"fields":{"Data.text":{}}}}`, kind, tag)
		resp, err := http.Post("http://"+e.addr+"/cda/es/v1/site/_search", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: status %d", kind, resp.StatusCode)
		}
		if n := e.anonymous(t); n > 112<<20 {
			t.Errorf("%s: %d MiB in memory", kind, n>>20)
		} else {
			t.Logf("%s: %d MiB in memory", kind, n>>20)
		}
	}
}

const boxed = 256 << 20

// boxes are the ways to limit a server to 256 MiB.
var boxes = map[string]func(t *testing.T, bin, public string) edge{
	"flag": func(t *testing.T, bin, public string) edge {
		return startEdge(t, bin, public, "--memory-limit", "256MiB")
	},
	"control group": func(t *testing.T, bin, public string) edge {
		group, ok := controlGroup(t)
		if !ok {
			t.Skip("no control group can be made here")
		}
		e := edge{addr: freeport.Addr(t), exit: make(chan error, 1)}
		return e.start(t, inGroup(group, bin, "--public", public, "--addr", e.addr))
	},
}

// controlGroup creates a control group of 256 MiB if possible.
func controlGroup(t *testing.T) (group string, ok bool) {
	for base, file := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		group := filepath.Join(base, fmt.Sprintf("contentedge-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) }) // after the server has ended
		// The kernel creates the file if it supports control groups.
		limit, err := os.OpenFile(filepath.Join(group, file), os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		defer limit.Close()
		if _, err := limit.WriteString(strconv.Itoa(boxed)); err == nil {
			return group, true
		}
	}
	return "", false
}

// inGroup is a command that runs in a control group.
func inGroup(group, bin string, args ...string) *exec.Cmd {
	return exec.Command("sh", append([]string{"-c", `echo $$ > "$0"/cgroup.procs && exec "$@"`, group, bin}, args...)...)
}

// Clients that request the largest responses get 503 before the node runs out of
// memory.
func TestMemoryLimit(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	public := largeSite(t, bin["generator"])
	for name, start := range boxes {
		t.Run(name, func(t *testing.T) {
			e := start(t, bin["edgeserve"], public)
			begun := time.Now()
			var ended atomic.Bool
			statuses := make([]map[int]int, 64)
			var clients sync.WaitGroup
			for i := range statuses {
				statuses[i] = map[int]int{}
				clients.Go(func() { e.flood(t, i, &ended, statuses[i]) })
			}
			defer clients.Wait()
			defer ended.Store(true)
			most, ordinary := 0, 0
			for took := time.Duration(0); took < 3*time.Second || ordinary < 10 && took < time.Minute; took = time.Since(begun) {
				most = max(most, e.anonymous(t))
				if get(t, "http://"+e.addr+"/cda/rest/v1/site/contents/Content_7") != "" {
					ordinary++
				}
			}
			ended.Store(true)
			clients.Wait()
			all := map[int]int{}
			for _, m := range statuses {
				for status, n := range m {
					all[status] += n
				}
			}
			t.Logf("at most %d MiB; %v; %d ordinary answers", most>>20, all, ordinary)
			if most > boxed || all[200] == 0 || all[503] == 0 || len(all) > 2 || ordinary < 10 {
				t.Error("want less than the limit, and answers of both kinds only")
			}
		})
	}
}

// flood requests all items repeatedly and counts the statuses.
func (e edge) flood(t *testing.T, i int, ended *atomic.Bool, statuses map[int]int) {
	// Each has its own address, because limits apply per address.
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: i%2 > 0, DialContext: dialer.DialContext}}
	defer client.CloseIdleConnections()
	for n := 0; !ended.Load(); n++ {
		body := fmt.Sprintf(`{"size":%d,"query":{"query_string":{"query":"NOT %d-%d"}}}`, address.MaxSize, i, n)
		r, err := client.Post("http://"+e.addr+"/cda/es/v1/site", "application/json", strings.NewReader(body))
		if err == nil {
			statuses[r.StatusCode]++
			if r.StatusCode == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
				err = fmt.Errorf("503 without Retry-After")
			}
			_, failed := io.Copy(io.Discard, r.Body)
			err = cmp.Or(err, failed)
			r.Body.Close()
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}
