// This file sends requests: one connection pool, every wait bounded, bodies cut where
// they stand still or grow too long.

package store

import (
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
)

const (
	// maxXML bounds an answer that is parsed: a page of a list has a thousand keys of
	// at most a thousand bytes.
	maxXML = 4 << 20
	// maxHead bounds the head of an answer.
	maxHead = 64 << 10
	// maxRedirects is enough for a file server that moved.
	maxRedirects = 3
	// conns is how many connections stay open: more than anybody uses at once.
	conns = 64
	// connect is for the name, the connection and TLS, each.
	connect = 10 * time.Second
)

// newClient makes a client that does not decode, and follows redirects as told.
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

// openFiles prepares a file server.
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

// checkRedirect lets a file server send its readers elsewhere on the same host, or from
// HTTP to HTTPS: another host is none that the operator named.
func checkRedirect(from, to *url.URL) error {
	switch {
	case from.Scheme == "https" && to.Scheme != "https":
		return errors.New("a redirect leaves HTTPS")
	case !strings.EqualFold(from.Hostname(), to.Hostname()):
		return errors.New("a redirect leaves the host: name the address that it leads to")
	case port(from) != port(to) && (from.Scheme == to.Scheme || port(to) != "443"):
		return errors.New("a redirect leaves the port: name the address that it leads to")
	}
	return nil
}

// port is the port of an address.
func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// onMachine tells whether a host is this machine by its name: nobody else is on the way.
func onMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// dirPrefix is a path as keys begin with it.
func dirPrefix(path string) string {
	if path = strings.Trim(path, "/"); path != "" {
		path += "/"
	}
	return path
}

// encodePath writes a key as S3 signs it, which any server reads.
func encodePath(path string) string { return s3utils.EncodePath(path) }

// request prepares a request for an object, or with query for the bucket.
func (s *Store) request(method, key string, query url.Values) (*http.Request, error) {
	if s.sign == nil && method != http.MethodGet && method != http.MethodHead || s.sign == nil && query != nil {
		return nil, ErrReadOnly
	}
	u := *s.base
	if query == nil {
		u.Path += s.prefix + key
		u.RawPath = encodePath(u.Path)
	}
	u.RawQuery = query.Encode()
	return &http.Request{Method: method, URL: &u, Host: u.Host, Header: http.Header{"User-Agent": {"contentedge"}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
}

// do sends a request and gives its answer if that is a success.
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

// info reads the headers that describe an object.
func info(key string, resp *http.Response) Info {
	modified, _ := http.ParseTime(resp.Header.Get("Last-Modified"))
	return Info{Key: key, Bytes: resp.ContentLength, ETag: resp.Header.Get("Etag"), Modified: modified}
}

// decodeXML reads and closes an answer's body.
func (s *Store) decodeXML(resp *http.Response, v any) error {
	defer func() { _ = resp.Body.Close() }()
	// A body that stands still must not hold its reader, whatever the caller waits for.
	cut := time.AfterFunc(s.stall, func() { _ = resp.Body.Close() })
	defer cut.Stop()
	if xml.NewDecoder(io.LimitReader(resp.Body, maxXML)).Decode(v) != nil {
		return errXML // the decoder's own error repeats what it read
	}
	return nil
}

// body is an object's content on its way.
type body struct {
	in     io.ReadCloser
	left   int64
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
	wrap   func(error) error
}

// Read cuts a transfer that stands still: each read has its own time.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	cut := time.AfterFunc(b.stall, func() { b.cancel(ErrStalled) })
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

// Close ends the transfer.
func (b *body) Close() error {
	b.cancel(nil)
	return b.in.Close()
}
