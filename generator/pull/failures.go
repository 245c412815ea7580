// This file says which failures of requests are temporary, and explains the others.

package pull

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/transfer"
	"contentedge/generator/retry"
)

// statusError is a response with a status other than 200.
type statusError struct {
	status  int
	after   time.Duration // the wait that it asks for
	excerpt string
}

// Error names the status and quotes the beginning of the body.
func (e *statusError) Error() string {
	text := fmt.Sprintf("the origin answers %d", e.status)
	if name := http.StatusText(e.status); name != "" {
		text += " " + name
	}
	if e.excerpt != "" {
		text += fmt.Sprintf(": %q", e.excerpt)
	}
	return text
}

func (o *origin) statusError(resp *http.Response, body io.Reader) error {
	text, _ := o.read(resp, io.LimitReader(body, maxExcerpt))
	return &statusError{resp.StatusCode, retry.After(resp.Header, time.Now()), o.quote(text)}
}

// quote returns the beginning of a text for a message, without the key: a server may repeat a request.
func (o *origin) quote(text []byte) string {
	text = text[:min(len(text), maxExcerpt)]
	shown := string(text)
	if o.set.Key != "" {
		shown = strings.ReplaceAll(shown, o.set.Key, "[key]")
	}
	return printable([]byte(strings.TrimSpace(shown)))
}

// printable returns the first bytes of a text without what controls a terminal.
func printable(text []byte) string {
	cut := text[:min(len(text), excerpt)]
	for len(cut) < len(text) && len(cut) > 0 && !utf8.RuneStart(text[len(cut)]) {
		cut = cut[:len(cut)-1]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(cut), "\uFFFD"))
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	return 0
}

func asksToWait(err error) time.Duration {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.after
	}
	return 0
}

// temporary reports whether a request is worth another attempt.
func temporary(err error) bool {
	if status := statusOf(err); status != 0 {
		return retry.TemporaryStatus(status)
	}
	return err != nil && !permanent(err)
}

// permanent reports whether an error of a request without a response stays.
func permanent(err error) bool {
	var dns *net.DNSError
	return errors.Is(err, context.Canceled) || errors.Is(err, transfer.ErrTooLarge) || isA[*transfer.RedirectError](err) || isA[*OriginError](err) ||
		isA[*diskError](err) || isA[*RefusedError](err) || isA[*tls.CertificateVerificationError](err) || isA[tls.RecordHeaderError](err) ||
		isA[x509.UnknownAuthorityError](err) || errors.As(err, &dns) && dns.IsNotFound
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// timedOut reports whether a response took too long, or whether the origin says so.
func timedOut(err error) bool {
	var network net.Error
	status := statusOf(err)
	return errors.Is(err, transfer.ErrStalled) || errors.Is(err, errSlow) || status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout ||
		errors.As(err, &network) && network.Timeout()
}

// sizeWords are in the messages of origins that refuse a page for its size, or for its length.
var sizeWords = regexp.MustCompile(`(?i)too (big|large|long|many)|size|exceed|maximum|limit`)

// tooLarge reports whether a response, or a page, is larger than this side or the origin accepts.
func tooLarge(err error) bool {
	e, _ := errors.AsType[*statusError](err)
	return errors.Is(err, transfer.ErrTooLarge) || e != nil && (e.status == http.StatusRequestEntityTooLarge || e.status == http.StatusBadRequest && sizeWords.MatchString(e.excerpt))
}

const waitHint = "--max-wait bounds how long a pull waits for an origin"

// explain returns the error of a request for its reader.
func (o *origin) explain(url string, err error) error {
	if known, ok := errors.AsType[*OriginError](err); ok {
		if known.Address == "" {
			known.Address = url
		}
		return known
	}
	if isA[*RefusedError](err) {
		return err
	}
	e := &OriginError{Address: url, Message: err.Error(), Err: err}
	switch status := statusOf(err); {
	case isA[*retry.BudgetError](err):
		e.Hint = waitHint
	case errors.Is(err, transfer.ErrStalled):
		e.Message = fmt.Sprintf("no byte came for %s", stall)
		e.Hint = waitHint
	case errors.Is(err, transfer.ErrTooLarge):
		e.Message = "the response is too large: see the limits in generator/PULL.md"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Hint = "put a key into the variable " + KeyVariable + "; --key-header names the field that the origin wants"
	case status == http.StatusNotFound:
		e.Hint = "check --env, and the address: it is the part before " + address.Root
	}
	return e
}
