// This file defines how the nodes of a cluster are asked, independently of the sender of the requests.

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// Transport asks the nodes of a cluster. It is safe for concurrent use.
type Transport interface {
	// Do sends a request, and returns the body of its response with status 200. The body is valid until release is
	// called, once. Errors are a *StatusError, ErrUnavailable, ErrTooLarge, or the error of the context.
	Do(ctx context.Context, r Request) (response []byte, release func(), err error)
}

// Request is a request about an index. It changes nothing, so that several nodes may be asked.
type Request struct {
	Method      string
	Path        string // escaped, from the slash, e.g. "/live-0123456789abcdef/_search"
	Query       url.Values
	Body        []byte // JSON; may be nil
	MaxResponse int64  // bytes of the longest response that is read
}

// StatusError is the error of a node that has answered. Reasons name indices, nodes and fields of the cluster: they are
// for logs, not for clients.
type StatusError struct {
	Status int
	Type   string // the type of the cause that is nearest to the request, e.g. "too_many_buckets_exception"
	Reason string // cut to a length for logs
}

// Error implements error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the cluster answered with status %d", e.Status)
	for _, more := range []string{e.Type, e.Reason} {
		if more != "" {
			text += ": " + more
		}
	}
	return text
}

// Errors of a Transport.
var (
	ErrUnavailable = errors.New("no node of the cluster answered in time")
	// ErrTooLarge reports a response of more than MaxResponse bytes.
	ErrTooLarge = errors.New("the response of the cluster is longer than what was asked for can be")
)
