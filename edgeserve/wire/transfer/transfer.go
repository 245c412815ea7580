// Package transfer bounds what a client takes from a server that it does not trust: where redirects may lead, how much
// a body may have, and how long it may stall.
package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"contentedge/edgeserve/crash"
)

// DefaultStall is how long a transfer may make no progress.
const DefaultStall = 30 * time.Second

// maxRedirects allows for one to HTTPS, one to another spelling of the path, and one more.
const maxRedirects = 3

// Errors of a Body.
var (
	ErrTooLarge = errors.New("too large")
	ErrStalled  = errors.New("the transfer stalled")
)

// RedirectError is a redirect that is not followed.
type RedirectError struct {
	To     string // scheme and host
	Leaves string // what the operator approved; "" after too many redirects
}

// Error names the target and what it leaves.
func (e *RedirectError) Error() string {
	if e.Leaves == "" {
		return "too many redirects"
	}
	return fmt.Sprintf("the redirect to %s leaves %s: give the address that it leads to, if you trust it", e.To, e.Leaves)
}

// CheckRedirect permits what the operator approved: this host, and HTTPS instead of HTTP. It is the
// function of an http.Client, which removes credentials by other rules than these.
func CheckRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return &RedirectError{}
	}
	return check(before[len(before)-1].URL, next.URL)
}

func check(from, to *url.URL) error {
	leaves := ""
	switch {
	case from.Scheme == "https" && to.Scheme != "https":
		leaves = "HTTPS"
	case to.Scheme != "http" && to.Scheme != "https":
		leaves = "HTTP"
	case !strings.EqualFold(from.Hostname(), to.Hostname()):
		leaves = "the host"
	case port(from) != port(to) && (from.Scheme == to.Scheme || port(to) != "443"):
		leaves = "the port"
	default:
		return nil
	}
	return &RedirectError{To: to.Scheme + "://" + to.Host, Leaves: leaves}
}

func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
}

// OnMachine reports whether a host name means this machine, so that no other machine reads what is sent to it.
func OnMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// Body reads the body of a response. A read beyond Left bytes fails with ErrTooLarge, one that takes
// longer than Stall with ErrStalled.
type Body struct {
	In     io.ReadCloser
	Left   int64
	Ctx    context.Context // of the request
	Cancel context.CancelCauseFunc
	Stall  time.Duration
}

// Read gives each read its own deadline.
func (b *Body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.Left+1 {
		p = p[:b.Left+1]
	}
	cut := time.AfterFunc(b.Stall, crash.Guarded(func() { b.Cancel(ErrStalled) }))
	n, err := b.In.Read(p)
	cut.Stop()
	if int64(n) > b.Left {
		return int(b.Left), ErrTooLarge
	}
	b.Left -= int64(n)
	if err != nil && err != io.EOF {
		if cause := context.Cause(b.Ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

// Close ends the request.
func (b *Body) Close() error {
	b.Cancel(nil)
	return b.In.Close()
}
