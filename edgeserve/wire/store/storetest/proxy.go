// This file is a proxy that injects faults. It forwards requests unchanged, so that
// their signatures stay valid, and modifies the responses.

package storetest

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Fault is the fault to inject for one request.
type Fault struct {
	Status  int           // respond with this status without forwarding
	Code    string        // S3's error code of that response; "" selects a code that no service sends
	Lost    bool          // forward the request, then cut the connection without responding
	Drop    bool          // cut the connection without forwarding
	Wait    time.Duration // delay before anything else
	CutAt   int64         // if > 0, cut the connection after this many bytes of the body
	FlipAt  int64         // if > 0, flip a bit of this byte of the body, counted from 1
	Body    []byte        // respond 200 with this body without forwarding
	Endless bool          // respond 200 with endless zeros
	Drip    time.Duration // pause between single bytes of the body
	Header  http.Header   // sent with Status and Body

	Change func(http.Header) // changes the header fields of the service's response
}

// Proxy is a proxy to one service.
type Proxy struct {
	URL string

	mu     sync.Mutex
	choose func(n int, r *http.Request) Fault
	count  int

	target string
	client http.Transport
	served *httptest.Server
}

// NewProxy starts a proxy to host:port until the test ends.
func NewProxy(t testing.TB, target string) *Proxy {
	p := &Proxy{target: target}
	p.client.DisableCompression = true
	p.Set(nil)
	p.served = httptest.NewServer(p)
	p.URL = p.served.URL
	t.Cleanup(p.Close)
	return p
}

// Target returns the address of the service.
func (p *Proxy) Target() string { return p.target }

// Close stops the proxy and cuts its connections.
func (p *Proxy) Close() {
	p.served.CloseClientConnections()
	p.served.Close()
	p.client.CloseIdleConnections()
}

// Set changes the faults and restarts the count. The proxy calls choose for one request at a time,
// with the request's number from 1. choose may call Set and send requests through the proxy; nil
// means no faults.
func (p *Proxy) Set(choose func(n int, r *http.Request) Fault) {
	var one sync.Mutex
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count = 0
	p.choose = func(n int, r *http.Request) Fault {
		one.Lock()
		defer one.Unlock()
		if choose == nil {
			return Fault{}
		}
		return choose(n, r)
	}
}

// Count is the number of requests since Set.
func (p *Proxy) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *Proxy) next(r *http.Request) Fault {
	p.mu.Lock()
	p.count++
	n, choose := p.count, p.choose
	p.mu.Unlock()
	return choose(n, r)
}

// ServeHTTP injects a fault or forwards the request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.next(r)
	wait(r, f.Wait)
	for name, values := range f.Header {
		w.Header()[name] = values
	}
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler)
	case f.Status > 0:
		w.WriteHeader(f.Status)
		// Some services repeat the request in their errors.
		_, _ = io.WriteString(w, "<Error><Code>"+cmp.Or(f.Code, "Told")+"</Code><Message>"+r.Header.Get("Authorization")+"</Message></Error>")
	case f.Body != nil:
		_, _ = w.Write(f.Body)
	case f.Endless:
		for zeros := make([]byte, 64<<10); ; {
			if _, err := w.Write(zeros); err != nil {
				return
			}
		}
	default:
		p.pass(w, r, f)
	}
}

func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, f Fault) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", p.target, ""
	resp, err := p.client.RoundTrip(out)
	if err != nil || f.Lost {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = resp.Body.Close() }()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	if f.Change != nil {
		f.Change(w.Header())
	}
	w.WriteHeader(resp.StatusCode)
	if f.Drip > 0 {
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = io.Copy(w, &faulty{in: resp.Body, f: f, r: r})
	if f.CutAt > 0 {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func wait(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

type faulty struct {
	in io.Reader
	f  Fault
	r  *http.Request
	at int64
}

func (b *faulty) Read(p []byte) (int, error) {
	if b.f.Drip > 0 {
		if !wait(b.r, b.f.Drip) {
			return 0, io.ErrUnexpectedEOF
		}
		p = p[:1]
	}
	if b.f.CutAt > 0 {
		p = p[:min(int64(len(p)), b.f.CutAt-b.at)]
		if len(p) == 0 {
			return 0, io.EOF
		}
	}
	n, err := b.in.Read(p)
	if i := b.f.FlipAt - 1 - b.at; b.f.FlipAt > 0 && i >= 0 && i < int64(n) {
		p[i] ^= 1
	}
	b.at += int64(n)
	return n, err
}
