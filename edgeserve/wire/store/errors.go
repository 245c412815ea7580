// This file has the errors of a store. They never quote a response: a server may repeat the request,
// with its credentials.

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/transfer"
)

// Errors that callers compare with.
var (
	ErrNotFound    = errors.New("no such object")
	ErrNotModified = errors.New("not modified")
	ErrChanged     = errors.New("the object was changed concurrently")
	ErrDenied      = errors.New("access denied: check the credentials and their permissions")
	ErrReadOnly    = errors.New("an HTTP store is read-only: write to s3://BUCKET/PREFIX")
	ErrTooLarge    = transfer.ErrTooLarge
	ErrStalled     = transfer.ErrStalled
	ErrInsecure    = errors.New("http:// does not protect the content on its way: use https://")
	ErrNoBucket    = errors.New("the bucket does not exist: create it, or name another one")
	ErrConflict    = errors.New("another request for the same object was under way")

	ErrNoConditions = errors.New("the store has no conditional writes (If-Match, If-None-Match), so two publishers could not be told apart: use a store that has them")
	ErrNoETag       = errors.New("the store gives no ETags, so two publishers could not be told apart: use a store that gives them")
	ErrWeakETag     = errors.New("the ETags are weak (W/), so two publishers could not be told apart: set AWS_ENDPOINT_URL_S3 to the store itself, not to a proxy that changes responses")
)

// busyCodes are error codes of responses with a status below 500 where a retry may succeed.
var busyCodes = map[string]error{
	"ConditionalRequestConflict": ErrConflict,
	"OperationAborted":           ErrConflict,
	"RequestTimeout":             errors.New("the request arrived too slowly"),
	"IncompleteBody":             errors.New("the request did not arrive whole"),
}

// skewed is S3's code of a request with another time than the service has.
const skewed = "RequestTimeTooSkewed"

var errRange = errors.New("the server returned another range than the requested one")

var errOutside = errors.New("the listing has a key outside the requested prefix")

// errXML is the error for a truncated or unknown response, and for a copy that fails after its status.
var errXML = fmt.Errorf("the response is not the expected XML of S3: %w", io.ErrUnexpectedEOF)

// StatusError is a response with an error status.
type StatusError struct {
	Status int
	Code   string // S3's error code; "" if absent
	busy   bool   // the same request may succeed
	kind   error  // one of the errors that callers compare with, or nil
}

// Error describes the status and code.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the store responded %d", e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.kind != nil {
		text += ": " + e.kind.Error()
	}
	return text
}

// Unwrap returns one of the errors that callers compare with, or nil.
func (e *StatusError) Unwrap() error { return e.kind }

var kinds = map[int]error{
	http.StatusNotModified: ErrNotModified, http.StatusNotFound: ErrNotFound, http.StatusPreconditionFailed: ErrChanged,
	http.StatusUnauthorized: ErrDenied, http.StatusForbidden: ErrDenied,
}

func (s *Store) statusError(resp *http.Response, correction time.Duration) error {
	e := &StatusError{Status: resp.StatusCode, kind: kinds[resp.StatusCode]}
	var body struct{ Code string }
	if s.decodeXML(resp, &body) == nil {
		e.Code = cleanCode(body.Code)
	}
	busy, again := busyCodes[e.Code]
	e.busy = again || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout ||
		e.Status >= 500 && e.Status != http.StatusNotImplemented
	switch {
	case again:
		e.kind = busy
	case e.Code == "NoSuchBucket":
		e.kind = ErrNoBucket
	case e.Status == http.StatusNotImplemented && conditional(resp.Request):
		e.kind = ErrNoConditions
	case e.Status == http.StatusForbidden:
		e.kind = s.denied(e.Code, correction)
	case e.Status >= 300 && e.Status < 400 && e.kind == nil:
		e.kind = errors.New("the bucket is in another region or at another endpoint: set AWS_REGION or AWS_ENDPOINT_URL_S3")
	}
	return e
}

func conditional(req *http.Request) bool {
	return req.Method == http.MethodPut && req.Header.Get(httpfield.IfMatch)+req.Header.Get(httpfield.IfNoneMatch) != ""
}

// denied is ErrDenied. It names this machine's clock first if that is the likely reason, and last if the signature had
// the time of the store.
func (s *Store) denied(code string, correction time.Duration) error {
	ahead, known := s.Skew()
	off := ahead.Abs().Round(time.Second)
	switch {
	case known && off > maxSkew && (correction == 0 || code == skewed):
		return fmt.Errorf("the clock of this machine is %s off the store's: set it right; %w", off, ErrDenied)
	case code == skewed:
		return fmt.Errorf("the clock of this machine differs from the store's: set it right; %w", ErrDenied)
	case known && off > maxSkew:
		return fmt.Errorf("%w; the clock of this machine is %s off the store's, which the signature allows for", ErrDenied, off)
	}
	return ErrDenied
}

// cleanCode returns an S3 error code, or "" for other text.
func cleanCode(code string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if len(code) > 64 || strings.Trim(code, letters) != "" {
		return ""
	}
	return code
}

// wrap adds the store and key to an error. It removes the URL that net/http adds, as the URL has the
// query.
func (s *Store) wrap(verb, key string, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if s.defaulted && suggestsOtherEndpoint(err) {
		err = fmt.Errorf("%w (AWS_ENDPOINT_URL_S3 is not set, so the request went to %s)", err, s.base.Host)
	}
	if key == "" {
		return fmt.Errorf("%s %s: %w", verb, s.name, err)
	}
	return fmt.Errorf("%s %s/%s: %w", verb, s.name, key, err)
}

// suggestsOtherEndpoint reports whether an error is likely if the bucket is at another service.
func suggestsOtherEndpoint(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, ErrDenied) || errors.Is(err, ErrNoBucket)
}

// Temporary reports whether a retry may succeed.
func Temporary(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.busy
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, ErrStalled)
}
