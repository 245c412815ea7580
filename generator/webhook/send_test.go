package webhook

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// receiver answers webhooks with statuses, one after the other; the last one stays.
type receiver struct {
	*httptest.Server
	t        *testing.T
	secret   []byte
	statuses []int
	bodies   []string
	ids      []string
}

func receive(t *testing.T, secret []byte, statuses ...int) *receiver {
	r := &receiver{t: t, secret: secret, statuses: statuses}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var b strings.Builder
	value := q.Header.Get("X-Webhook-Signature")
	err := Check(r.secret, value, io.TeeReader(q.Body, &b), time.Now())
	if (r.secret == nil) != (value == "") || r.secret != nil && err != nil || q.Method != "POST" || q.Header.Get("Content-Type") != "application/json" {
		r.t.Errorf("%s, signature %q, %v, %v", q.Method, value, err, q.Header)
	}
	if r.secret == nil {
		_, _ = io.Copy(&b, q.Body)
	}
	r.bodies, r.ids = append(r.bodies, b.String()), append(r.ids, q.Header.Get("Webhook-Id"))
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(r.statuses[0])
	if len(r.statuses) > 1 {
		r.statuses = r.statuses[1:]
	}
}

// TestSend: a webhook arrives with its signature, is repeated while that may help, and its error shows no secret of
// the address.
func TestSend(t *testing.T) {
	for _, tt := range []struct {
		name     string
		secret   []byte
		statuses []int
		attempts int
		want     string // in the error; "": none
	}{
		{"signed", secret, []int{200}, 1, ""},
		{"without a secret", nil, []int{204}, 1, ""},
		{"a receiver that starts late", secret, []int{503, 502, 202}, 3, ""},
		{"refused", secret, []int{401}, 1, "it answered with status 401"},
		{"redirected", secret, []int{307}, 1, "it answered with status 307"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := receive(t, tt.secret, tt.statuses...)
			err := Send(t.Context(), strings.Replace(r.URL, "//", "//user:password@", 1)+"/hooks/SECRET?key=SECRET", secretsOf(tt.secret), []byte(`{"event":"published"}`))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "password") || !strings.Contains(err.Error(), r.URL)) {
				t.Error(err)
			}
			if len(r.bodies) != tt.attempts || r.bodies[len(r.bodies)-1] != `{"event":"published"}` {
				t.Errorf("received %q", r.bodies)
			}
		})
	}
}

func secretsOf(secret []byte) [][]byte {
	if secret == nil {
		return nil
	}
	return [][]byte{secret}
}

// All attempts of a webhook have one id, another event has another one, and two secrets both sign.
func TestSendTells(t *testing.T) {
	r := receive(t, secret, 503, 200)
	for _, body := range []string{`{"sequence":1}`, `{"sequence":1}`, `{"sequence":2}`} {
		if err := Send(t.Context(), r.URL, [][]byte{[]byte("another secret of a receiver"), secret}, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.ids) != 4 || r.ids[0] != r.ids[1] || r.ids[1] != r.ids[2] || r.ids[2] == r.ids[3] || !strings.HasPrefix(r.ids[0], "msg_") || len(r.ids[0]) != 36 {
		t.Errorf("ids %v", r.ids)
	}
	body := []byte("x")
	for _, each := range []string{"0123456789abcdef", "fedcba9876543210"} {
		if err := Check([]byte(each), Sign(body, time.Now(), []byte("0123456789abcdef"), []byte("fedcba9876543210")), strings.NewReader("x"), time.Now()); err != nil {
			t.Errorf("%s: %v", each, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	const a, b = "0123456789abcdef", "fedcba9876543210"
	for _, c := range []struct {
		text string
		n    int
		err  string
	}{
		{"", 0, ""}, {a, 1, ""}, {a + " with a space", 1, ""}, {a + "\n" + b, 2, ""}, {a + "\r\n" + b + "\n", 2, ""},
		{"short", 0, "has 5 bytes"}, {a + "\nshort", 0, "has 5 bytes"}, {a + "\n\n" + b, 0, "has 0 bytes"}, {a + "\n" + b + "\n" + a, 0, "has 3 lines"},
	} {
		if got, err := Secrets(c.text); len(got) != c.n || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}

// TestSendEnds: nobody waits for a receiver that does not exist longer than asked to.
func TestSendEnds(t *testing.T) {
	gone := receive(t, nil, 200)
	gone.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := Send(ctx, gone.URL+"/SECRET", nil, nil); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Error(err)
	}
	late := receive(t, nil, 503)
	late.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if err := Send(t.Context(), late.URL, nil, nil); err == nil || !strings.Contains(err.Error(), "next attempt would be in 1h0m0s") {
		t.Error(err)
	}
}

func TestCheckURL(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://host/path": true, "http://127.0.0.1:8080": true, "https://user:password@host/": true,
		"": false, "host/path": false, "ftp://host/": false, "https://": false, "https:///path": false, "https://host/#part": false, "https://host:port/": false, "http://\x00": false,
	} {
		if err := CheckURL(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}
