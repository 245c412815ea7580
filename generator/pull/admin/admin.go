// Package admin serves the operator of a pull that runs for long: metrics, a probe, and the address of
// webhooks. Clients must not reach it; a proxy may pass the webhooks of a content system on to it.
package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/pull/schedule"
	"contentedge/generator/webhook"
)

const (
	// PullPath is the address of webhooks.
	PullPath = "/-/pull"
	// maxBody bounds the body of a webhook in bytes. Systems send the item that changed. A pull does not read the item,
	// but the signature covers the whole body.
	maxBody = 1 << 20

	timeout  = 10 * time.Second // to read a request, and to write a response
	idle     = time.Minute      // between requests of a connection
	maxConns = 64               // an operator, a few scrapers and some senders
	maxHead  = 16 << 10         // in bytes
)

// Config configures an admin listener.
type Config struct {
	Secret  []byte                  // of webhooks; empty accepts no webhooks
	Trigger func() schedule.Promise // asks for a pull
	Metrics func(*prometheus.Text)
}

// The results of a webhook.
const (
	accepted = "accepted"
	refused  = "refused"
)

// Admin serves an operator.
type Admin struct {
	c        Config
	webhooks *prometheus.Counters
}

// New returns an Admin.
func New(c Config) *Admin {
	return &Admin{c: c, webhooks: prometheus.NewCounters("result", accepted, refused)}
}

// Serve answers requests until ctx has ended.
func (a *Admin) Serve(ctx context.Context, ln net.Listener) error {
	s := &http.Server{Handler: a, ReadHeaderTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout, IdleTimeout: idle, MaxHeaderBytes: maxHead,
		ErrorLog: log.New(io.Discard, "", 0)} // its texts quote requests
	stop := context.AfterFunc(ctx, crash.Guarded(func() { _ = s.Close() }))
	defer stop()
	if err := s.Serve(netutil.LimitListener(ln, maxConns)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers a request.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(httpfield.CacheControl, "no-store")
	w.Header().Set(httpfield.ContentTypeOptions, "nosniff")
	switch r.URL.Path {
	case address.Live.Path():
		if a.reads(w, r) {
			send(w, http.StatusOK, envelope.AppendItem(nil, []byte(`"live"`)))
		}
	case prometheus.Path:
		if a.reads(w, r) {
			a.metrics(w, r)
		}
	case PullPath:
		a.pull(w, r)
	default:
		fail(w, problem.Of(problem.UnknownRoute))
	}
}

// metrics answers a scraper.
func (a *Admin) metrics(w http.ResponseWriter, r *http.Request) {
	var codings contentcoding.Accept
	for _, line := range r.Header.Values(httpfield.AcceptEncoding) {
		codings.Read([]byte(line))
	}
	e := prometheus.Negotiate(a.text(), strings.Join(r.Header.Values(httpfield.Accept), ","), &codings)
	w.Header().Set(httpfield.ContentType, e.ContentType)
	if e.Coding != contentcoding.Identity {
		w.Header().Set(httpfield.ContentEncoding, e.Coding.String())
	}
	_, _ = w.Write(e.Body)
}

// reads reports whether a request reads, and otherwise refuses it.
func (a *Admin) reads(w http.ResponseWriter, r *http.Request) bool {
	return takes(w, r, http.MethodGet, http.MethodHead)
}

func takes(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	for _, m := range methods {
		if r.Method == m {
			return true
		}
	}
	for _, m := range methods {
		w.Header().Add(httpfield.Allow, m)
	}
	fail(w, problem.Of(problem.MethodNotAllowed))
	return false
}

func (a *Admin) text() []byte {
	var t prometheus.Text
	a.c.Metrics(&t)
	a.webhooks.Write(&t, "contentedge_webhooks_total", "Webhooks, by result.")
	prometheus.WriteProcess(&t)
	return t.Bytes()
}

// queued is the response to the sender of a webhook.
type queued struct {
	Run     string  `json:"run"`     // now, soon or next
	Seconds float64 `json:"seconds"` // until it may begin
	Joined  bool    `json:"joined"`  // earlier webhooks caused the run already
}

// pull asks for a run if the webhook is signed.
func (a *Admin) pull(w http.ResponseWriter, r *http.Request) {
	if !takes(w, r, http.MethodPost) {
		return
	}
	if p := a.check(w, r); p != nil {
		a.webhooks.Inc(refused)
		fail(w, p)
		return
	}
	a.webhooks.Inc(accepted)
	promise := a.c.Trigger()
	q := queued{Run: "now", Seconds: promise.In.Seconds(), Joined: promise.Joins}
	switch {
	case promise.Follows:
		q.Run = "next"
	case promise.In > 0:
		q.Run = "soon"
	}
	b, _ := json.Marshal(q)
	send(w, http.StatusAccepted, append(b, '\n'))
}

// check returns why a webhook is refused.
func (a *Admin) check(w http.ResponseWriter, r *http.Request) *problem.Problem {
	if len(a.c.Secret) == 0 {
		return problem.New(problem.UnknownRoute, "webhooks need a secret, which this pull was started without")
	}
	err := webhook.Check(a.c.Secret, r.Header.Get(httpfield.WebhookSignature), http.MaxBytesReader(w, r.Body, maxBody), time.Now())
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return problem.New(problem.BodyTooLarge, "the body of a webhook is too large")
	}
	if err != nil {
		return &problem.Problem{Status: http.StatusUnauthorized, Code: problem.BadHeader, Message: err.Error(), Parameter: httpfield.WebhookSignature, Position: -1}
	}
	return nil
}

func fail(w http.ResponseWriter, p *problem.Problem) {
	send(w, p.Status, envelope.AppendError(nil, *p))
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set(httpfield.ContentType, release.ContentType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
