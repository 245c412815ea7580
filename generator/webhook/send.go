// This file sends webhooks, and repeats attempts that fail temporarily.

package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/retry"
)

const (
	attempts = 6                // of a webhook, with the first one
	timeout  = 10 * time.Second // of one attempt: receivers should only queue the event, and work afterwards
	patience = time.Minute      // of all attempts at one receiver, as a person may wait for the command
	maxReply = 64 << 10         // bytes of a response that are read, so that its connection can be used again
)

// CheckURL returns an error unless webhooks can be sent to an address.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		return errors.New("must be the address of a receiver, such as https://HOST/PATH")
	}
	return nil
}

// Receiver is the scheme and the host of an address. The rest may be secret: who knows the path of a build hook can call it.
func Receiver(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Scheme + "://" + u.Host
}

// refusal is a response that does not say that the webhook arrived.
type refusal struct {
	status int
	after  time.Duration
}

func (e *refusal) Error() string { return fmt.Sprintf("it answered with status %d", e.status) }

// Send posts a body to an address, signed with each of the secrets. It repeats what failed temporarily for up to a minute.
// Each attempt has its own time and signature, and all have one id. It follows no redirects.
func Send(ctx context.Context, address string, secrets [][]byte, body []byte) error {
	client := &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	policy := retry.Policy{Attempts: attempts, Temporary: temporary, After: after, Budget: &retry.Budget{Left: patience}}
	_, err := retry.With(ctx, policy, func() (struct{}, error) { return struct{}{}, post(ctx, client, address, secrets, body) })
	if err == nil {
		return nil
	}
	if of, ok := errors.AsType[*url.Error](err); ok { // it shows the whole address
		err = of.Err
	}
	return fmt.Errorf("webhook to %s: %w", Receiver(address), err)
}

func post(ctx context.Context, client *http.Client, address string, secrets [][]byte, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set(httpfield.ContentType, release.ContentType)
	r.Header.Set(httpfield.UserAgent, httpfield.OurAgent)
	r.Header.Set(httpfield.WebhookID, id(body))
	if len(secrets) > 0 {
		r.Header.Set(httpfield.WebhookSignature, Sign(body, time.Now(), secrets...))
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxReply)) // only the status counts
	if response.StatusCode/100 != 2 {
		return &refusal{response.StatusCode, retry.After(response.Header, time.Now())}
	}
	return nil
}

// temporary reports whether another attempt may succeed. All failures of connections are temporary.
func temporary(err error) bool {
	if of, ok := errors.AsType[*refusal](err); ok {
		return retry.TemporaryStatus(of.status)
	}
	return err != nil
}

func after(err error) time.Duration {
	if of, ok := errors.AsType[*refusal](err); ok {
		return of.after
	}
	return 0
}
