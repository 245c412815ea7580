// This file sends requests to an origin, within bounds of time, bytes and rate.

package pull

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/transfer"
	"contentedge/generator/retry"
)

// origin belongs to one goroutine.
type origin struct {
	set    *settings
	client *http.Client
	last   time.Time // of the last request
	chunks [][]byte  // of a body that is read

	// Of one run:
	budget   *retry.Budget
	requests int
	received int64
	oldest   time.Duration // the greatest Age
}

func newOrigin(set *settings) *origin {
	var via http.RoundTripper = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout:    connectTime,
		ResponseHeaderTimeout:  stall,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true, // to bound the decoded bytes
		ForceAttemptHTTP2:      true,
	}
	if set.Client != nil {
		via = set.Client
	}
	return &origin{set: set, client: &http.Client{Transport: via, CheckRedirect: transfer.CheckRedirect}}
}

// begin starts the counts of a run.
func (o *origin) begin() {
	o.budget = &retry.Budget{Left: o.set.MaxWait}
	o.requests, o.received, o.oldest, o.chunks = 0, 0, 0, nil
}

// request is a GET, or with a body a POST.
type request struct {
	path  string // below the origin's address
	query url.Values
	body  []byte
	pin   string // the only release that may answer; "": any
	file  bool   // the response is a file, as it is
}

// response is a response with status 200.
type response struct {
	address   string
	release   string // "" if the response names no release, or several
	mediaType string
	sent      time.Time // the request was
	made      time.Time // not before this time, if caches say how old responses are
	body      []byte    // decoded
}

func (o *origin) url(r request) string {
	u := o.set.base.JoinPath(r.path)
	u.RawQuery = r.query.Encode()
	return u.String()
}

// fetch sends a request until parse accepts the response, or until it fails for good. It returns the errors of explain,
// except for errors (of statuses, timeouts and sizes) that the caller handles, as known reports: it returns them as
// they are.
func fetch[T any](ctx context.Context, o *origin, r request, known func(error) bool, parse func(*response) (T, error)) (T, error) {
	policy := retry.Policy{
		Attempts:  attempts,
		Temporary: func(err error) bool { return temporary(err) && !known(err) },
		After:     asksToWait,
		Budget:    o.budget,
	}
	result, err := retry.With(ctx, policy, func() (T, error) {
		resp, err := o.once(ctx, r)
		if err != nil {
			var none T
			return none, err
		}
		return parse(resp)
	})
	if err == nil || known(err) {
		return result, err
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, o.explain(o.url(r), err)
}

// errSlow is the cause of a response that ends after responseTime.
var errSlow = fmt.Errorf("the response took longer than %s", responseTime)

// once sends a request once, and reads its response.
func (o *origin) once(ctx context.Context, r request) (*response, error) {
	var got *response
	err := o.send(ctx, r, maxResponse, responseTime, func(resp *http.Response, body io.Reader) error {
		text, err := o.read(resp, body)
		if err != nil {
			return err
		}
		got = &response{address: resp.Request.URL.String(), release: single(resp.Header, httpfield.Release), mediaType: mediaType(resp.Header), sent: o.last, made: o.last, body: text}
		if age, ok := ageOf(resp.Header); ok {
			o.oldest = max(o.oldest, age)
			got.made = o.last.Add(-age - time.Second) // caches count whole seconds
		}
		return nil
	})
	return got, err
}

// ageOf returns how long a response was in caches, and false if no cache says so.
func ageOf(h http.Header) (time.Duration, bool) {
	seconds, err := strconv.Atoi(h.Get(httpfield.Age))
	if err != nil || seconds < 0 {
		return 0, false
	}
	return time.Duration(min(seconds, maxAgeSeconds)) * time.Second, true
}

// send sends a request once. use takes a response with status 200, of at most limit bytes.
func (o *origin) send(ctx context.Context, r request, limit int64, within time.Duration, use func(resp *http.Response, body io.Reader) error) error {
	if err := o.pace(ctx); err != nil {
		return err
	}
	o.requests++
	ctx, end := context.WithTimeoutCause(ctx, within, errSlow)
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := o.prepare(ctx, r)
	if err != nil {
		return err
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return causeOf(ctx, err)
	}
	body := &transfer.Body{In: resp.Body, Left: limit, Ctx: ctx, Cancel: cancel, Stall: stall}
	defer body.Close()
	if resp.StatusCode != http.StatusOK {
		return o.statusError(resp, body)
	}
	if err := use(resp, body); err != nil {
		return causeOf(ctx, err)
	}
	return nil
}

// download writes a file as the origin has it, from its beginning, and returns its digest.
func (o *origin) download(ctx context.Context, r request, to *os.File) (sum [sha256.Size]byte, err error) {
	r.file = true
	policy := retry.Policy{Attempts: attempts, Temporary: temporary, After: asksToWait, Budget: o.budget}
	_, err = retry.With(ctx, policy, func() (struct{}, error) {
		return struct{}{}, o.send(ctx, r, address.MaxMedia, fileTime, func(resp *http.Response, body io.Reader) error {
			if resp.Header.Get(httpfield.ContentEncoding) != "" {
				return &OriginError{Message: "the file came compressed, which was not asked for"}
			}
			hash := sha256.New()
			_, err := to.Seek(0, io.SeekStart)
			if err = cmp.Or(err, to.Truncate(0)); err != nil {
				return &diskError{err}
			}
			n, err := io.Copy(io.MultiWriter(disk{to}, hash), body)
			o.received += n
			copy(sum[:], hash.Sum(nil))
			return cut(err)
		})
	})
	if full, ok := errors.AsType[*diskError](err); ok {
		return sum, full.error
	}
	if err != nil && ctx.Err() != nil {
		return sum, context.Cause(ctx)
	}
	if err != nil {
		return sum, o.explain(o.url(r), err)
	}
	return sum, nil
}

// diskError tells a failure of the disk from one of the origin, which is worth another attempt.
type diskError struct{ error }

// disk writes to a file.
type disk struct{ file *os.File }

func (d disk) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

// maxAgeSeconds keeps an Age far from overflow.
const maxAgeSeconds = 1 << 31

// pace waits until the rate allows a request.
func (o *origin) pace(ctx context.Context) error {
	wait := time.Until(o.last.Add(time.Duration(float64(time.Second) / o.set.Rate)))
	if !o.last.IsZero() && wait > 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
	o.last = time.Now()
	return nil
}

func (o *origin) prepare(ctx context.Context, r request) (*http.Request, error) {
	method, in := http.MethodGet, io.Reader(nil)
	if r.body != nil {
		method, in = http.MethodPost, bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, method, o.url(r), in)
	if err != nil {
		return nil, err
	}
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	set(httpfield.UserAgent, httpfield.OurAgent)
	if r.file {
		set(httpfield.AcceptEncoding, contentcoding.Identity.String())
	} else {
		set(httpfield.Accept, release.ContentType)
		set(httpfield.AcceptEncoding, contentcoding.Gzip.String())
		set(httpfield.CacheControl, "no-cache")
	}
	set(httpfield.Release, r.pin)
	if r.body != nil {
		set(httpfield.ContentType, release.ContentType)
	}
	switch {
	case o.set.Key == "":
	case o.set.KeyHeader == "":
		set(DefaultKeyHeader, "Bearer "+o.set.Key)
	default:
		set(o.set.KeyHeader, o.set.Key)
	}
	return req, nil
}

// read decodes a body. Its length is bounded before and after.
func (o *origin) read(resp *http.Response, body io.Reader) ([]byte, error) {
	coding := contentcoding.Identity
	switch name := strings.ToLower(strings.Join(resp.Header.Values(httpfield.ContentEncoding), ", ")); name {
	case "", contentcoding.Identity.String():
	case contentcoding.Gzip.String():
		coding = contentcoding.Gzip
	default:
		return nil, &OriginError{Message: fmt.Sprintf("the Content-Encoding is %q, which was not asked for", printable([]byte(name)))}
	}
	in, err := compression.NewReader(coding, body)
	if err != nil {
		return nil, cut(err)
	}
	defer in.Close()
	text, err := o.readAll(in)
	o.received += int64(len(text))
	return text, cut(err)
}

// readAll reads a decoded body. Its chunks are used again and again, so that a body which grows beyond
// its limit costs no more memory than the limit.
func (o *origin) readAll(in io.Reader) ([]byte, error) {
	n := 0
	for {
		if n == len(o.chunks)*chunkSize {
			o.chunks = append(o.chunks, make([]byte, chunkSize))
		}
		m, err := in.Read(o.chunks[n/chunkSize][n%chunkSize:])
		switch n += m; {
		case n > maxResponse:
			return nil, transfer.ErrTooLarge
		case err == io.EOF:
			return o.join(n), nil
		case err != nil:
			return nil, err
		}
	}
}

func (o *origin) join(n int) []byte {
	text := make([]byte, 0, n)
	for _, chunk := range o.chunks {
		text = append(text, chunk[:min(len(chunk), n-len(text))]...)
	}
	return text
}

// errCut is a response that ends too early.
var errCut = errors.New("the response ends in the middle")

func cut(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// causeOf returns why a request ended that its context ended.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err // the address is added by explain
	}
	return err
}

// single returns the value of a field that a response has once; otherwise "".
func single(h http.Header, name string) string {
	if values := h.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// mediaType returns the media type of a response without parameters. It returns "" without a media type, or if the
// encoding of the text is not UTF-8.
func mediaType(h http.Header) string {
	name, parameters, err := mime.ParseMediaType(single(h, httpfield.ContentType))
	if charset := parameters["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return name
}
