// This file starts edge servers, and captures what one edge sends to the cluster.

package clusterbench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"bench/releasebench"
	"contentedge/edgeserve/listenaddr/freeport"
)

// edge is a running edge server.
type edge struct {
	cmd  *exec.Cmd
	port *freeport.Loan
	url  string
}

// start starts an edge server on the release and waits for its first response.
func (b *bench) start(args ...string) (*edge, error) {
	port, err := freeport.Lend()
	if err != nil {
		return nil, err
	}
	e := &edge{port: port, url: "http://" + port.Addr}
	e.cmd = exec.Command(filepath.Join(b.programs, "edgeserve"), append([]string{"--public", b.public, "--addr", port.Addr}, args...)...)
	log, err := os.Create(filepath.Join(b.dir, "edge.log"))
	if err != nil {
		port.Return()
		return nil, err
	}
	defer log.Close() // the edge has its own descriptor
	e.cmd.Stderr = log
	begin := time.Now()
	if err := e.cmd.Start(); err != nil {
		port.Return()
		return nil, err
	}
	b.edges = append(b.edges, e)
	if err := releasebench.FirstResponse(e.url+contents, begin); err != nil {
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return e, nil
}

func (b *bench) stop() {
	for _, e := range b.edges {
		_ = e.cmd.Process.Signal(syscall.SIGTERM)
		_ = e.cmd.Wait()
		e.port.Return()
	}
	b.edges = nil
}

// capture sends each request through an edge with a proxy before the cluster. It keeps what the proxy gets.
func (b *bench) capture() error {
	p := &proxy{node: b.nodes[0]}
	server := httptest.NewServer(p)
	defer server.Close()
	e, err := b.start("--search-at", server.URL, "--cache-bytes", "0")
	if err != nil {
		return err
	}
	defer b.stop()
	for _, f := range b.families {
		for _, r := range f.requests {
			p.take()
			if _, err := newClient(e.url, 1).do(r); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			searches := slices.DeleteFunc(p.take(), func(r request) bool { return !f.isSearch(r) })
			if len(searches) == 0 {
				return fmt.Errorf("%s: the edge asks no node for %s %s", f.name, r.path, r.body)
			}
			f.sent = append(f.sent, searches...)
		}
	}
	return nil
}

// isSearch tells a search of items from a probe of a node, which needs none.
func (f *family) isSearch(r request) bool {
	return strings.Contains(r.path, "/_search") && !strings.Contains(r.body, `"size":0`)
}

// proxy keeps the requests that it sends on to a node.
type proxy struct {
	node string
	mu   sync.Mutex
	got  []request
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	p.mu.Lock()
	p.got = append(p.got, request{in.Method, in.URL.RequestURI(), string(body)})
	p.mu.Unlock()
	out, err := http.NewRequestWithContext(in.Context(), in.Method, p.node+in.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if kind := in.Header.Get("Content-Type"); kind != "" {
		out.Header.Set("Content-Type", kind)
	}
	response, err := http.DefaultClient.Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body) // the edge reports a response that is cut
}

// take returns the requests since the last call.
func (p *proxy) take() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = nil
	return got
}

// client sends requests over connections that stay open.
type client struct {
	url  string
	http http.Client
}

func newClient(url string, conns int) *client {
	return &client{url: url, http: http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: conns, DisableCompression: true}}}
}

// do returns the body of a response with status 200.
func (c *client) do(r request) ([]byte, error) {
	out, err := http.NewRequest(r.method, c.url+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body != "" {
		out.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(out)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s %s: %s: %.500s", r.method, r.path, r.body, response.Status, body)
	}
	return body, err
}
