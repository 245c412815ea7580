// This file holds what can go wrong between a store and its caller. Texts are ours: a
// server that repeats a request in its answer would otherwise put credentials into logs.

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
)

// Errors that callers tell apart.
var (
	ErrNotFound    = errors.New("no such object")
	ErrNotModified = errors.New("not modified")
	ErrChanged     = errors.New("the object was changed by somebody else")
	ErrDenied      = errors.New("access denied: check the credentials and what they allow")
	ErrReadOnly    = errors.New("a store over HTTP can only be read: name it as s3://BUCKET/PREFIX")
	ErrTooLarge    = errors.New("too large")
	ErrStalled     = errors.New("the transfer stood still")
	ErrInsecure    = errors.New("over http:// anybody on the way can change what is read: use https://")
)

// errRange is an answer that does not go on where it should.
var errRange = errors.New("the server does not give the rest of an object")

// errOutside is a list with a key that was not asked for.
var errOutside = errors.New("the list has a key that does not begin as was asked for")

// errXML is an answer that was cut or says something else. A copy that fails on its way
// is one as well.
var errXML = fmt.Errorf("the answer is not the XML of S3 that was asked for: %w", io.ErrUnexpectedEOF)

// StatusError is an answer that says no.
type StatusError struct {
	Status int
	Code   string // of S3, "" if there is none
	kind   error  // one of the errors above, or nil
}

// Error gives the status, the code and what they mean.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the store answers %d", e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.kind != nil {
		text += ": " + e.kind.Error()
	}
	return text
}

// Unwrap gives what callers compare with.
func (e *StatusError) Unwrap() error { return e.kind }

// statusError reads an answer that is no success.
func (s *Store) statusError(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode}
	switch e.Status {
	case http.StatusNotModified:
		e.kind = ErrNotModified
	case http.StatusNotFound:
		e.kind = ErrNotFound
	case http.StatusPreconditionFailed:
		e.kind = ErrChanged
	case http.StatusUnauthorized, http.StatusForbidden:
		e.kind = ErrDenied
	}
	var body struct{ Code string }
	if s.decodeXML(resp, &body) == nil {
		e.Code = cleanCode(body.Code)
	}
	switch {
	case e.Code == "ConditionalRequestConflict":
		e.kind = ErrChanged
	case e.Status >= 300 && e.Status < 400 && e.kind == nil:
		e.kind = errors.New("the bucket is elsewhere: set AWS_REGION or AWS_ENDPOINT_URL_S3")
	}
	return e
}

// cleanCode lets a code of S3 pass and nothing else.
func cleanCode(code string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if len(code) > 64 || strings.Trim(code, letters) != "" {
		return ""
	}
	return code
}

// wrap says which object of which store an error is about, without the address that
// net/http puts before its own: it has the query and repeats the key.
func (s *Store) wrap(verb, key string, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if key == "" {
		return fmt.Errorf("%s %s: %w", verb, s.name, err)
	}
	return fmt.Errorf("%s %s/%s: %w", verb, s.name, key, err)
}

// Temporary tells whether the same request may succeed a little later.
func Temporary(err error) bool {
	var status *StatusError
	var network net.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &status):
		return status.Status >= 500 || status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, ErrStalled):
		return true
	}
	return errors.As(err, &network)
}
