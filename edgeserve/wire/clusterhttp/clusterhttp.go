// Package clusterhttp sends requests to the nodes of an OpenSearch cluster: addresses, TLS, credentials. Both the
// programs that load an index and the programs that search it use this package.
//
//	http://HOST:9200           a node
//	https://HOST/PREFIX        a node behind a proxy
//
// A request is sent once, to the node that the caller chose, and its response is read whole. The caller decides which
// node is asked next, and when.
//
// Nodes are not trusted. Responses are limited in size, redirects and content codings are refused, and no error has
// credentials, even if a node repeats them.
package clusterhttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/sigv4"
	"contentedge/edgeserve/wire/transfer"
)

// Errors of requests that are not a node's fault.
var (
	ErrTooLarge = transfer.ErrTooLarge // of a response with more bytes than its request allows
	ErrNoRoom   = errors.New("no memory is free for the response now")
	// ErrUnsent is in the errors of requests that were not sent, as one without credentials.
	ErrUnsent = errors.New("the request was not sent")
)

// Client sends requests to nodes. It is safe for concurrent use.
type Client struct {
	nodes  []*url.URL // without a slash at the end
	names  []string
	auth   authorizer // may be nil
	http   *http.Client
	conns  *conns
	secret *strings.Replacer // hides credentials in what a node says

	closing sync.Once
}

// Request is a request to a node.
type Request struct {
	Method string
	Path   string // escaped, from the slash: /a%2Cb/_search
	Query  url.Values
	Body   []byte
	// ContentType is the content type of Body; empty means JSON.
	ContentType string
	// Repeatable is set if a second arrival does no harm. Then a request that met a connection which
	// the node was closing is sent again over another one.
	Repeatable bool
	// MaxResponse limits the response's body, in bytes. It must be positive.
	MaxResponse int64
	// Reserve is called before the buffer of the response grows by a number of bytes. If it refuses, the request ends
	// with ErrNoRoom. Nil never refuses.
	Reserve func(bytes int) bool
}

// Len returns how many nodes there are.
func (c *Client) Len() int { return len(c.nodes) }

// Name returns the name of a node in logs and metrics: host and port, and its prefix, if it has one.
func (c *Client) Name(node int) string { return c.names[node] }

// Close ends all connections, and waits for the goroutines that open them. Requests must have ended.
func (c *Client) Close() {
	c.closing.Do(func() {
		c.http.CloseIdleConnections()
		c.conns.close()
		if c.auth != nil {
			c.auth.close()
		}
	})
}

// Do sends a request to a node, and appends the body of its response to dst. A response without a
// success status is a *StatusError. The context limits everything: connecting, the wait, the body.
func (c *Client) Do(ctx context.Context, node int, r Request, dst []byte) ([]byte, error) {
	dst, err := c.do(ctx, node, r, dst)
	if err != nil {
		err = &Error{Node: c.names[node], Err: c.cleaned(ctx, err)}
	}
	return dst, err
}

func (c *Client) do(ctx context.Context, node int, r Request, dst []byte) ([]byte, error) {
	req, err := c.request(ctx, node, r)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return dst, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return dst, c.statusError(resp)
	}
	if err := checkFraming(resp); err != nil {
		return dst, err
	}
	return readAll(dst, resp, r)
}

// request builds the request.
func (c *Client) request(ctx context.Context, node int, r Request) (*http.Request, error) {
	path, err := canonicalPath(r.Path)
	if err != nil {
		return nil, err
	}
	u := *c.nodes[node]
	u.RawPath = u.Path + path
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, err
	}
	u.RawQuery = sigv4.EncodeQuery(r.Query)
	req := (&http.Request{Method: r.Method, URL: &u, Host: u.Host, Header: http.Header{httpfield.UserAgent: {httpfield.OurAgent}, httpfield.Accept: {jsonType}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if r.Body != nil {
		req.ContentLength = int64(len(r.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
		req.Body, _ = req.GetBody()
		req.Header.Set(httpfield.ContentType, cmp.Or(r.ContentType, jsonType))
	}
	if r.Repeatable {
		req.Header["Idempotency-Key"] = nil // tells net/http, and is not sent
	}
	if c.auth == nil {
		return req, nil
	}
	return req, c.auth.authorize(req, r.Body)
}

const jsonType = "application/json"

// canonicalPath escapes the segments of a path as signatures need it. It refuses paths that a proxy or a
// node might read as another one.
func canonicalPath(path string) (string, error) {
	if !strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("the path %q does not begin with a slash", path)
	}
	var b strings.Builder
	for segment := range strings.SplitSeq(path[1:], "/") {
		text, err := url.PathUnescape(segment)
		if err != nil {
			return "", fmt.Errorf("the path %q is not escaped correctly", path)
		}
		if text == "." || text == ".." || text == "" && path != "/" {
			return "", fmt.Errorf("the path %q has an empty or a dot segment", path)
		}
		b.WriteString("/" + sigv4.Escape(text, ""))
	}
	return b.String(), nil
}

// checkFraming refuses a body whose end cannot be told from a lost connection, and one in a content coding that the
// request did not accept: a few bytes might become gigabytes.
func checkFraming(resp *http.Response) error {
	if resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 {
		return errFraming
	}
	if coding := resp.Header.Get(httpfield.ContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return errCoding
	}
	return nil
}

// firstRead is the room for a body of unknown length at first, in bytes.
const firstRead = 16 << 10

// readAll appends the body of a response. It asks for no more memory than has arrived, twice, whatever
// length the response claims.
func readAll(dst []byte, resp *http.Response, r Request) ([]byte, error) {
	limit := r.MaxResponse
	if resp.ContentLength > limit {
		return dst, fmt.Errorf("%w: a response of %d bytes, at most %d are read", ErrTooLarge, resp.ContentLength, limit)
	}
	start := len(dst)
	for {
		if len(dst) == cap(dst) {
			grow := max(firstRead, len(dst)-start)
			if left := resp.ContentLength - int64(len(dst)-start); left >= 0 {
				grow = min(grow, int(left)+1) // one more finds the end
			}
			if r.Reserve != nil && !r.Reserve(grow) {
				return dst[:start], ErrNoRoom
			}
			dst = append(make([]byte, 0, len(dst)+grow), dst...)
		}
		room := dst[len(dst):cap(dst)]
		if left := limit - int64(len(dst)-start); int64(len(room)) > left+1 {
			room = room[:left+1]
		}
		n, err := resp.Body.Read(room)
		dst = dst[:len(dst)+n]
		switch {
		case int64(len(dst)-start) > limit:
			return dst[:start], fmt.Errorf("%w: at most %d bytes are read", ErrTooLarge, limit)
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst[:start], err
		}
	}
}

// connect limits the time of resolving and connecting together, and the time of the TLS handshake.
const connect = 10 * time.Second
