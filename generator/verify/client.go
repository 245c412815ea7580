// This file requests a site's files, each within bounds of bytes and time.

package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator/checksums"
	"contentedge/generator/retry"
)

const (
	// attempts is how often a request that fails temporarily is sent, with the first time.
	attempts = 4
	// headTime bounds the wait for the head of a response, bodyTime the wait for its last byte.
	headTime = 30 * time.Second
	bodyTime = 10 * time.Minute
	// maxHead bounds the headers of a response.
	maxHead = 64 << 10
)

type client struct {
	base *url.URL
	http *http.Client
}

func newClient(base *url.URL, jobs int) *client {
	return &client{base, &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: jobs, MaxIdleConnsPerHost: jobs,
			DisableCompression: true, MaxResponseHeaderBytes: maxHead, ResponseHeaderTimeout: headTime, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       bodyTime,
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// errAbsent is a file that the site does not have.
var errAbsent = errors.New("the site answers 404")

type statusError int

func (e statusError) Error() string { return fmt.Sprintf("the site answers %d", int(e)) }

var errTooLong = errors.New("too long")

func temporary(err error) bool {
	if status, ok := errors.AsType[statusError](err); ok {
		return retry.TemporaryStatus(int(status))
	}
	return err != nil && !errors.Is(err, errAbsent) && !errors.Is(err, errTooLong)
}

// try repeats a request until it succeeds or fails permanently. use reads a response with status 200.
func (c *client) try(ctx context.Context, name string, accept contentcoding.Coding, use func(*http.Response) error) error {
	_, err := retry.Do(ctx, attempts, temporary, func() (struct{}, error) {
		return struct{}{}, c.once(ctx, name, accept, use)
	})
	return err
}

func (c *client) once(ctx context.Context, name string, accept contentcoding.Coding, use func(*http.Response) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath(name).String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set(httpfield.UserAgent, httpfield.OurAgent)
	req.Header.Set(httpfield.AcceptEncoding, accept.String())
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return use(resp)
	case http.StatusNotFound:
		return errAbsent
	}
	return statusError(resp.StatusCode)
}

func (c *client) fetch(ctx context.Context, name string, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if err := c.fetchTo(ctx, name, &b, func() error { b.Reset(); return nil }, limit); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// fetchTo writes a file as it is into w. empty removes what an earlier attempt wrote.
func (c *client) fetchTo(ctx context.Context, name string, w io.Writer, empty func() error, limit int64) error {
	err := c.try(ctx, name, contentcoding.Identity, func(resp *http.Response) error {
		if err := empty(); err != nil {
			return err
		}
		_, r, err := decode(resp, resp.Body)
		if err != nil {
			return err
		}
		defer r.Close()
		return copyBounded(w, r, limit)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.base.JoinPath(name), err)
	}
	return nil
}

func copyBounded(w io.Writer, r io.Reader, limit int64) error {
	n, err := io.Copy(w, io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("%w: more than %d bytes", errTooLong, limit)
	}
	return err
}

// decode returns the coding of a response, and reads its body from r.
func decode(resp *http.Response, r io.Reader) (contentcoding.Coding, io.ReadCloser, error) {
	name := resp.Header.Get(httpfield.ContentEncoding)
	if len(resp.Header.Values(httpfield.ContentEncoding)) > 1 {
		name = fmt.Sprint(resp.Header.Values(httpfield.ContentEncoding))
	}
	for c := contentcoding.Identity; c < contentcoding.Count; c++ {
		if name == c.String() || name == "" {
			body, err := compression.NewReader(c, r)
			return c, body, err
		}
	}
	return contentcoding.Identity, nil, fmt.Errorf("the Content-Encoding is %q", name)
}

type response struct {
	release string // in its header, or ""
	policy  string // its Content-Security-Policy
	options string // its X-Content-Type-Options
	coding  contentcoding.Coding
	size    int64         // of the body as it was sent
	raw     checksums.Sum // of the body as it was sent
	body    checksums.Sum // of the decoded body
}

func (c *client) get(ctx context.Context, name string, accept contentcoding.Coding, limit int64) (response, error) {
	var a response
	err := c.try(ctx, name, accept, func(resp *http.Response) error {
		a = response{release: resp.Header.Get(httpfield.Release), policy: resp.Header.Get(httpfield.ContentSecurityPolicy), options: resp.Header.Get(httpfield.ContentTypeOptions)}
		raw, body := sha256.New(), sha256.New()
		var size counter
		in := io.TeeReader(resp.Body, io.MultiWriter(raw, &size))
		coding, r, err := decode(resp, in)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := errors.Join(copyBounded(body, r, limit), copyBounded(io.Discard, in, limit)); err != nil {
			return err
		}
		a.coding, a.size = coding, int64(size)
		raw.Sum(a.raw[:0])
		body.Sum(a.body[:0])
		return nil
	})
	return a, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
