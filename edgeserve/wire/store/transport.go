// This file sends requests, limits every wait, and aborts stalled or oversized responses.

package store

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	// maxXML limits a parsed response: a listing page has up to 1,000 keys of 1,000 bytes.
	maxXML = 4 << 20
	// maxHead limits a response's header section, in bytes.
	maxHead      = 64 << 10
	maxRedirects = 3
	// conns is the number of idle connections. It is above the number of concurrent requests.
	conns = 64
	// connect limits the time of resolving and connecting together, and that of the TLS handshake.
	connect = 10 * time.Second
)

// newClient returns a client without transparent decompression.
func (s *Store) newClient(redirect func(*http.Request, []*http.Request) error) *http.Client {
	return &http.Client{
		CheckRedirect: redirect,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: connect}).DialContext,
			TLSHandshakeTimeout:    connect,
			ResponseHeaderTimeout:  s.stall,
			IdleConnTimeout:        90 * time.Second,
			MaxIdleConnsPerHost:    conns,
			MaxResponseHeaderBytes: maxHead,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		},
	}
}

func (s *Store) openFiles(u *url.URL, insecure bool) error {
	switch {
	case u.Hostname() == "":
		return errors.New("no host")
	case u.Scheme == "http" && !insecure && !onMachine(u.Hostname()):
		return ErrInsecure
	}
	s.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
	s.prefix = dirPrefix(u.Path)
	s.client = s.newClient(func(next *http.Request, before []*http.Request) error {
		if len(before) > maxRedirects {
			return errors.New("too many redirects")
		}
		return checkRedirect(before[len(before)-1].URL, next.URL)
	})
	return nil
}

// checkRedirect permits only what the operator approved: this host, and HTTPS instead of HTTP.
func checkRedirect(from, to *url.URL) error {
	switch {
	case from.Scheme == "https" && to.Scheme != "https":
		return errors.New("the redirect leaves HTTPS")
	case !strings.EqualFold(from.Hostname(), to.Hostname()):
		return errors.New("the redirect leaves the host: use its target as the store's address")
	case port(from) != port(to) && (from.Scheme == to.Scheme || port(to) != "443"):
		return errors.New("the redirect leaves the port: use its target as the store's address")
	}
	return nil
}

func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
}

func onMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// dirPrefix converts a URL path to a key prefix.
func dirPrefix(path string) string {
	if path = strings.Trim(path, "/"); path != "" {
		path += "/"
	}
	return path
}

// request builds a request for an object, or for the bucket if query is set.
func (s *Store) request(method, key string, query url.Values) (*http.Request, error) {
	if s.sign == nil && method != http.MethodGet && method != http.MethodHead || s.sign == nil && query != nil {
		return nil, ErrReadOnly
	}
	u := *s.base
	if query == nil {
		u.Path += s.prefix + key
		u.RawPath = s3utils.EncodePath(u.Path) // as S3 signatures require; any server decodes it
	}
	u.RawQuery = query.Encode()
	return &http.Request{Method: method, URL: &u, Host: u.Host, Header: http.Header{"User-Agent": {"contentedge"}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
}

// send sends a request that prepare may change. Its errors name the verb and the key.
func (s *Store) send(ctx context.Context, verb, method, key string, prepare func(*http.Request)) (*http.Response, error) {
	req, err := s.request(method, key, nil)
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		prepare(req)
	}
	resp, err := s.do(ctx, req)
	if err != nil {
		return nil, s.wrap(verb, key, err)
	}
	return resp, nil
}

// do sends a request. A response without a success status is an error.
func (s *Store) do(ctx context.Context, req *http.Request) (*http.Response, error) {
	if s.sign != nil {
		var err error
		if req, err = s.sign.sign(ctx, req); err != nil {
			return nil, err
		}
	}
	resp, err := s.client.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, s.statusError(resp)
	}
	return resp, nil
}

func info(key string, resp *http.Response) Info {
	modified, _ := http.ParseTime(resp.Header.Get("Last-Modified"))
	return Info{Key: key, Bytes: resp.ContentLength, ETag: resp.Header.Get(httpfield.ETag), Modified: modified}
}

func (s *Store) decodeXML(resp *http.Response, v any) error {
	defer func() { _ = resp.Body.Close() }()
	// A stalled body must not block its reader, whatever deadline the caller has.
	cut := time.AfterFunc(s.stall, crash.Guarded(func() { _ = resp.Body.Close() }))
	defer cut.Stop()
	if xml.NewDecoder(io.LimitReader(resp.Body, maxXML)).Decode(v) != nil {
		return errXML // the decoder's error quotes its input
	}
	return nil
}

type body struct {
	in     io.ReadCloser
	left   int64
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
	wrap   func(error) error
}

// Read gives each read its own deadline.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	cut := time.AfterFunc(b.stall, crash.Guarded(func() { b.cancel(ErrStalled) }))
	n, err := b.in.Read(p)
	cut.Stop()
	if int64(n) > b.left {
		return int(b.left), b.wrap(ErrTooLarge)
	}
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
		err = b.wrap(err)
	}
	return n, err
}

func (b *body) Close() error {
	b.cancel(nil)
	return b.in.Close()
}
