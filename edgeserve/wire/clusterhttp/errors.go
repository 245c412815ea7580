// This file has the errors of requests. An error quotes only the short type and reason of a node's text, without the
// credentials of the request, which a node may repeat.

package clusterhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"contentedge/edgeserve/wire/httpfield"
)

var (
	errFraming  = errors.New("the response has neither a length nor chunks, so its end cannot be told from a lost connection")
	errCoding   = errors.New("the response is in a content coding that the request did not ask for")
	errRedirect = errors.New("redirects are not followed: give the address that it leads to, if you trust it")
	errDenied   = errors.New("access denied: check the credentials and their permissions")
	errClosed   = errors.New("the client is closed")
)

// Error is a request that failed.
type Error struct {
	Node string // its name
	Err  error
}

// Error names the node.
func (e *Error) Error() string { return "node " + e.Node + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// StatusError is a response with an error status.
type StatusError struct {
	Status int
	Type   string // the type of the error, as index_not_found_exception; "" if the node names none
	Reason string // shortened
	// Header has the fields that say when to ask again.
	Header http.Header
	hint   error
}

// Why is the reason, or the meaning of the status without one.
func (e *StatusError) Why() string {
	if e.Reason == "" && e.hint != nil {
		return e.hint.Error()
	}
	return e.Reason
}

// Error describes the status, type and reason.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("status %d", e.Status)
	if e.Type != "" {
		text += " " + e.Type
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	if e.hint != nil {
		text += ": " + e.hint.Error()
	}
	return text
}

const (
	// maxErrorBody limits the body of an error that is read: stack traces are cut.
	maxErrorBody = 64 << 10
	// MaxReason limits a quoted reason, in bytes. Reasons of refused queries have a few hundred bytes.
	MaxReason = 500
	// maxType limits a quoted type, in bytes.
	maxType = 100
)

// statusError reads an error. The body may come from a proxy, or be cut: then the error has neither type nor reason.
func (c *Client) statusError(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode, Header: http.Header{}}
	for _, name := range []string{httpfield.RetryAfter, httpfield.Date} {
		if v := resp.Header.Get(name); v != "" {
			e.Header.Set(name, v)
		}
	}
	switch {
	case e.Status/100 == 3:
		e.hint = errRedirect
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		e.hint = errDenied
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err == nil {
		e.Type, e.Reason = readError(body)
		e.Type, e.Reason = c.Printable(e.Type, maxType), c.Printable(e.Reason, MaxReason)
	}
	return e
}

// readError reads type and reason of an error: the error itself, or its first cause, which says more. An error after
// the shards have answered, as of too many buckets in all, has an empty list of causes, and a cause next to the list.
func readError(body []byte) (kind, reason string) {
	type cause struct {
		Type   string
		Reason string
	}
	var text struct{ Error json.RawMessage }
	var e struct {
		cause
		RootCause []cause `json:"root_cause"`
		CausedBy  cause   `json:"caused_by"`
	}
	if json.Unmarshal(body, &text) != nil || !bytes.HasPrefix(text.Error, []byte("{")) || json.Unmarshal(text.Error, &e) != nil {
		return "", ""
	}
	if len(e.RootCause) > 0 && e.RootCause[0].Type != "" {
		return e.RootCause[0].Type, e.RootCause[0].Reason
	}
	if e.CausedBy.Type != "" {
		return e.CausedBy.Type, e.CausedBy.Reason
	}
	return e.Type, e.Reason
}

// Printable shortens text of a node, and takes credentials and control characters out. Call it before you quote a part
// of a response with a success status.
func (c *Client) Printable(text string, limit int) string {
	text = c.secret.Replace(text)
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
}

// cleaned removes the URL from an error, as the URL has the query. The cause of a context that ended replaces what
// net/http makes of it.
func (c *Client) cleaned(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*StatusError](err); ok || errors.Is(err, ErrUnsent) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNoRoom) {
		return err
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
