// This file is a wire that fails as told: a proxy that passes requests as they are, so
// that their signatures hold, and does to the answers what a test wants.

package storetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Fault says what becomes of one request.
type Fault struct {
	Status  int           // answer this instead of passing the request on
	Lost    bool          // pass the request on and cut the connection instead of answering
	Drop    bool          // cut the connection without passing the request on
	Wait    time.Duration // before anything else
	CutAt   int64         // cut the connection after this many bytes of the body, if > 0
	FlipAt  int64         // turn a bit of this byte of the body, counted from 1
	Body    []byte        // answer 200 with this instead of passing the request on
	Endless bool          // answer 200 with zeros for ever
	Drip    time.Duration // pause between single bytes of the body
	Header  http.Header   // of the answer to Status
}

// Proxy is a wire to a service.
type Proxy struct {
	URL string

	mu     sync.Mutex
	choose func(n int, r *http.Request) Fault
	count  int

	target string
	client http.Transport
	served *httptest.Server
}

// NewProxy makes a wire to host:port until the test ends.
func NewProxy(t testing.TB, target string) *Proxy {
	p := &Proxy{target: target}
	p.client.DisableCompression = true
	p.Set(nil)
	p.served = httptest.NewServer(p)
	p.URL = p.served.URL
	t.Cleanup(p.Close)
	return p
}

// Close ends the wire and what is on it.
func (p *Proxy) Close() {
	p.served.CloseClientConnections()
	p.served.Close()
	p.client.CloseIdleConnections()
}

// Set changes the faults and counts requests from 1 again. Choose is asked about each
// request, one at a time, and may itself Set another and use the wire; nil is no faults.
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

// ServeHTTP passes a request on, or not.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.next(r)
	wait(r, f.Wait)
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler)
	case f.Status > 0:
		for name, values := range f.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(f.Status)
		// As some services do, it repeats what it was sent.
		_, _ = io.WriteString(w, "<Error><Code>Told</Code><Message>"+r.Header.Get("Authorization")+"</Message></Error>")
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

// pass sends a request to the service and its answer back, with its faults.
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

// wait lets time pass while the client is there, and tells whether it still is.
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

// faulty is a body with faults.
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
