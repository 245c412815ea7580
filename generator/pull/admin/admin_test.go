package admin

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator/pull/schedule"
)

const secret = "0123456789abcdef"

func signed(at time.Time, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// ask sends a request to an Admin without a network.
func ask(a *Admin, method, path, signature, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if signature != "" {
		r.Header.Set(httpfield.WebhookSignature, signature)
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// TestAdmin shows what an operator and a content system hear.
func TestAdmin(t *testing.T) {
	var promise schedule.Promise
	triggers := 0
	config := Config{Secret: []byte(secret), Trigger: func() schedule.Promise { triggers++; return promise },
		Metrics: func(t *prometheus.Text) { t.Family("x", "gauge", "X."); t.Uint(1) }}
	a := New(config)
	withoutSecret := config
	withoutSecret.Secret = nil
	now := time.Now()
	const large = maxBody + 1
	for _, tt := range []struct {
		name, method, path, signature, body string
		promise                             schedule.Promise
		admin                               *Admin
		status                              int
		want                                string // in the body
		runs                                bool
	}{
		{name: "a webhook", method: "POST", path: PullPath, signature: signed(now, `{"id":1}`), body: `{"id":1}`, status: 202, want: `{"run":"now","seconds":0,"joined":false}`, runs: true},
		{name: "a webhook without a body", method: "POST", path: PullPath, signature: signed(now, ""), status: 202, want: `"now"`, runs: true},
		{name: "soon after a run", method: "POST", path: PullPath, signature: signed(now, ""), promise: schedule.Promise{In: 1500 * time.Millisecond}, status: 202, want: `{"run":"soon","seconds":1.5,"joined":false}`, runs: true},
		{name: "during a run", method: "POST", path: PullPath, signature: signed(now, ""), promise: schedule.Promise{Follows: true, Joins: true}, status: 202, want: `{"run":"next","seconds":0,"joined":true}`, runs: true},
		{name: "a repeated webhook does no harm", method: "POST", path: PullPath, signature: signed(now, ""), status: 202, want: `"now"`, runs: true},
		{name: "a large body", method: "POST", path: PullPath, signature: signed(now, strings.Repeat("x", maxBody)), body: strings.Repeat("x", maxBody), status: 202, want: `"now"`, runs: true},
		{name: "no signature", method: "POST", path: PullPath, status: 401, want: `the signature is missing`},
		{name: "another body", method: "POST", path: PullPath, signature: signed(now, "{}"), body: "{ }", status: 401, want: `the signature is wrong`},
		{name: "an old webhook", method: "POST", path: PullPath, signature: signed(now.Add(-6*time.Minute), ""), status: 401, want: `more than 5m0s from the server's`},
		{name: "one of the future", method: "POST", path: PullPath, signature: signed(now.Add(6*time.Minute), ""), status: 401, want: `more than 5m0s from the server's`},
		{name: "a body too large", method: "POST", path: PullPath, signature: signed(now, strings.Repeat("x", large)), body: strings.Repeat("x", large), status: 413, want: `body_too_large`},
		{name: "without a secret", method: "POST", path: PullPath, signature: signed(now, ""), admin: New(withoutSecret), status: 404, want: `webhooks need a secret`},
		{name: "GET is no webhook", method: "GET", path: PullPath, signature: signed(now, ""), status: 405, want: `method_not_allowed`},
		{name: "the probe", method: "GET", path: "/livez", status: 200, want: `{"status":200,"data":"live"}`},
		{name: "metrics", method: "GET", path: "/metrics", status: 200, want: "\nx 1\n"},
		{name: "metrics count webhooks", method: "GET", path: "/metrics", status: 200, want: "contentedge_webhooks_total{result=\"accepted\"} 6\ncontentedge_webhooks_total{result=\"refused\"} 5\n"},
		{name: "metrics are read", method: "POST", path: "/metrics", status: 405, want: `method_not_allowed`},
		{name: "another path", method: "GET", path: "/", status: 404, want: `unknown_route`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := triggers
			promise = tt.promise
			if tt.admin == nil {
				tt.admin = a
			}
			w := ask(tt.admin, tt.method, tt.path, tt.signature, tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || (triggers > before) != tt.runs {
				t.Errorf("%d %s, runs %t", w.Code, w.Body, triggers > before)
			}
			if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%v", h)
			}
			if tt.path != "/metrics" && !json.Valid(w.Body.Bytes()) {
				t.Errorf("no JSON: %s", w.Body)
			}
			if strings.Contains(w.Body.String(), secret) {
				t.Error("the secret is shown")
			}
		})
	}
	prometheustest.Parse(t, ask(a, "GET", "/metrics", "", "").Body.Bytes())
}

// 20 webhooks in a second cause one run and one that follows it.
func TestWebhooksAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var runs atomic.Int32
		s := schedule.New(schedule.Config{Every: time.Hour, Run: func(context.Context) error { runs.Add(1); time.Sleep(700 * time.Millisecond); return nil }})
		a := New(Config{Secret: []byte(secret), Trigger: s.Trigger})
		var ended sync.WaitGroup
		ended.Go(func() { _ = s.Run(ctx) })
		time.Sleep(time.Minute) // the first run is over
		for range 20 {
			time.Sleep(50 * time.Millisecond)
			ended.Go(func() {
				if w := ask(a, "POST", PullPath, signed(time.Now(), "{}"), "{}"); w.Code != 202 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		time.Sleep(time.Minute)
		if runs := runs.Load(); runs != 1+2 {
			t.Errorf("%d runs", runs)
		}
		cancel()
		ended.Wait()
	})
}

// A listener ends with its context. A slow request does not hold it.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- New(Config{}).Serve(ctx, ln) }()
	slow, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprint(slow, "POST /-/pull HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
	resp, err := http.Get("http://" + ln.Addr().String() + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(b) != `{"status":200,"data":"live"}` {
		t.Errorf("%s", b)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ends with %v", err)
	}
}
