// This file measures publications into a real S3 service, and a node that follows it. A proxy before the service
// counts requests and bytes.

package releasebench

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

const (
	bucket    = "growth"
	accessKey = "growth"
	secretKey = "growth-secret"
)

// objectStore is an S3 service with a bucket.
type objectStore struct {
	cmd             *exec.Cmd
	port            *freeport.Loan
	proxy           *httptest.Server
	requests, bytes atomic.Int64
	published       map[string]bool // by prefix
}

// startStore starts the service, once for a site.
func (g *growth) startStore(s *site) (*objectStore, error) {
	if s.store != nil {
		return s.store, nil
	}
	if g.versitygw == "" {
		return nil, absent("there is no S3 service")
	}
	dir := filepath.Join(filepath.Dir(s.content), "s3")
	if err := os.MkdirAll(filepath.Join(dir, bucket), 0o755); err != nil {
		return nil, err
	}
	port, err := freeport.Lend()
	if err != nil {
		return nil, err
	}
	o := &objectStore{port: port, published: map[string]bool{}, cmd: exec.Command(g.versitygw, "posix", dir)}
	o.cmd.Env = append(os.Environ(), "VGW_PORT="+port.Addr, "VGW_QUIET=true", "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	if err := o.cmd.Start(); err != nil {
		port.Return()
		return nil, err
	}
	s.store = o
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", port.Addr)
		if err == nil {
			c.Close()
			break
		}
		if time.Since(begin) > startLimit {
			return nil, err
		}
	}
	target := &url.URL{Scheme: "http", Host: port.Addr}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, r.In.Host // the signature covers Host
	}}
	o.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.requests.Add(1)
		r.Body = &countedBody{r.Body, &o.bytes}
		forward.ServeHTTP(countedWriter{w, &o.bytes}, r)
	}))
	return o, nil
}

func (o *objectStore) stop() {
	if o.proxy != nil {
		o.proxy.Close()
	}
	_ = o.cmd.Process.Signal(syscall.SIGTERM)
	_ = o.cmd.Wait()
	o.port.Return()
}

type countedBody struct {
	io.ReadCloser
	bytes *atomic.Int64
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

type countedWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c countedWriter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// Unwrap lets the proxy flush.
func (c countedWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (o *objectStore) variables() []string {
	return []string{"AWS_ENDPOINT_URL_S3=" + o.proxy.URL, "AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true"}
}

// counted measures what a function asks of the store.
func (o *objectStore) counted(do func() (figures, error)) (figures, error) {
	requests, bytes := o.requests.Load(), o.bytes.Load()
	f, err := do()
	f.requests, f.bytes = o.requests.Load()-requests, o.bytes.Load()-bytes
	return f, err
}

// send publishes the current release below a prefix.
func (g *growth) send(s *site, prefix string, flags ...string) (figures, error) {
	o, err := g.startStore(s)
	if err != nil {
		return figures{}, err
	}
	o.published[prefix] = true
	return o.counted(func() (figures, error) {
		u, err := measuredIn(o.variables(), filepath.Join(g.programs, "generator"), append([]string{"publish", "s3://" + bucket + "/" + prefix, "--public", s.public, "--quiet"}, flags...)...)
		return figures{cpu: u.cpu.Seconds(), peak: u.peak}, err
	})
}

// sendEdit publishes a release with one edit after the previous release.
func (g *growth) sendEdit(s *site, prefix string, flags ...string) (f figures, err error) {
	if o, err := g.startStore(s); err != nil {
		return f, err
	} else if !o.published[prefix] {
		if _, err := g.send(s, prefix, flags...); err != nil {
			return f, err
		}
	}
	if _, err := s.edit(); err != nil {
		return f, err
	}
	if _, err := g.generate(s.content, s.public); err != nil {
		return f, err
	}
	return g.send(s, prefix, flags...)
}

const completePrefix = "complete"

func (g *growth) publish(s *site) (figures, error) { return g.send(s, completePrefix) }

func (g *growth) editAndPublish(s *site) (figures, error) { return g.sendEdit(s, completePrefix) }

func (g *growth) editForNodes(s *site) (figures, error) {
	if !g.has("publish", "--for ") {
		return figures{}, absent("publish has no --for")
	}
	return g.sendEdit(s, "nodes", "--for", "nodes")
}

func (g *growth) editInPlace(s *site) (figures, error) {
	if !g.has("publish", "--in-place") {
		return figures{}, absent("publish has no --in-place")
	}
	return g.sendEdit(s, "in-place", "--in-place")
}

// follow measures a node that follows the store when a release with one edit is published.
func (g *growth) follow(s *site) (f figures, err error) {
	o, err := g.startStore(s)
	if err != nil {
		return f, err
	}
	if !o.published[completePrefix] {
		if _, err := g.publish(s); err != nil {
			return f, err
		}
	}
	p, err := g.run(s, o.variables(), "edgeserve", "--follow", "s3://"+bucket+"/"+completePrefix, "--public", filepath.Join(filepath.Dir(s.content), "node"), "--follow-interval", "1h")
	if err != nil {
		return f, err
	}
	defer func() {
		p.stop()
		s.nodes = nil
	}()
	mark, err := s.edit()
	if err != nil {
		return f, err
	}
	_, err = g.generate(s.content, s.public)
	if err == nil {
		_, err = g.send(s, completePrefix)
	}
	if err != nil {
		return f, err
	}
	p.rest()
	before := p.cpu()
	f, err = o.counted(func() (figures, error) {
		return figures{}, errors.Join(p.cmd.Process.Signal(syscall.SIGHUP), await(p.url+"/"+s.item, mark))
	})
	p.rest()
	f.cpu, f.peak = max(p.cpu()-before, 0.001), p.peak()
	return f, err
}
