// This file sends requests, limits every wait, and aborts stalled or oversized responses.

package store

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/sigv4"
	"contentedge/edgeserve/wire/transfer"
)

const (
	// maxXML limits a parsed response: a listing page has up to 1,000 keys of 1,000 bytes.
	maxXML = 4 << 20
	// maxHead limits a response's header section, in bytes.
	maxHead = 64 << 10
	// conns is the number of idle connections. It is above the number of concurrent requests.
	conns = 64
	// connect limits the time of resolving and connecting together, and the time of the TLS handshake.
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
	case u.Scheme == "http" && !insecure && !transfer.OnMachine(u.Hostname()):
		return ErrInsecure
	}
	s.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
	s.prefix = dirPrefix(u.Path)
	s.client = s.newClient(transfer.CheckRedirect)
	return nil
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
	u.RawQuery = sigv4.EncodeQuery(query)
	return &http.Request{Method: method, URL: &u, Host: u.Host, Header: http.Header{httpfield.UserAgent: {httpfield.OurAgent}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
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
	resp, correction, err := s.attempt(ctx, req)
	if err == nil && s.isSkewed(resp, correction) && rewind(req) {
		_ = resp.Body.Close()
		resp, correction, err = s.attempt(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, s.statusError(resp, correction)
	}
	return resp, nil
}

// attempt sends a request once. It returns by how much the clock was corrected for the signature.
func (s *Store) attempt(ctx context.Context, req *http.Request) (*http.Response, time.Duration, error) {
	correction := s.clock.correction()
	if s.sign != nil {
		if err := s.sign.sign(ctx, req, s.clock.now().Add(correction)); err != nil {
			return nil, 0, err
		}
	}
	s.sent.Add(1)
	begun := s.clock.now()
	resp, err := s.client.Do(req.WithContext(ctx))
	if err == nil {
		s.clock.measure(begun, resp.Header)
	}
	return resp, correction, err
}

// isSkewed reports whether a request was refused that was signed at another time than the store has.
func (s *Store) isSkewed(resp *http.Response, correction time.Duration) bool {
	return s.sign != nil && resp.StatusCode == http.StatusForbidden && (s.clock.correction()-correction).Abs() > maxSkew
}

// rewind makes the body of a request be sent again. It reports whether that is possible.
func rewind(req *http.Request) bool {
	if req.Body == nil {
		return true
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	req.Body = body
	return err == nil
}

func info(key string, resp *http.Response) Info {
	modified, _ := http.ParseTime(resp.Header.Get("Last-Modified"))
	return Info{Key: key, Bytes: resp.ContentLength, ETag: resp.Header.Get(httpfield.ETag), Release: resp.Header.Get(httpfield.Release), Modified: modified}
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

// body adds the object's name to the errors of a transfer.
type body struct {
	*transfer.Body
	wrap func(error) error
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	if err != nil && err != io.EOF {
		err = b.wrap(err)
	}
	return n, err
}
