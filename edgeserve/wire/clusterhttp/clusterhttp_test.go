package clusterhttp

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// node starts a node that answers as f does, and a client of it.
func node(t *testing.T, o Options, f http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return client(t, o, server.URL)
}

func client(t *testing.T, o Options, urls ...string) *Client {
	t.Helper()
	o.Nodes = urls
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestClusterhttp sends a request, and shows which responses are refused, and why.
func TestClusterhttp(t *testing.T) {
	hijack := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, text)
				_ = conn.Close()
			}
		}
	}
	for _, tt := range []struct {
		name string
		node http.HandlerFunc
		body string
		err  string // a part of it
	}{
		{"a response is read whole", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %s", r.Method, r.RequestURI, body, r.Header.Get("Content-Type"))
		}, `POST /a%2Cb/_search?x=1 {} application/json`, ""},
		{"one of several chunks, too", func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = io.WriteString(w, "chunk ")
				_ = http.NewResponseController(w).Flush()
			}
		}, "chunk chunk chunk ", ""},
		{"an error has type and reason of its cause", status(400, `{"error":{"root_cause":[{"type":"query_shard_exception","reason":"No mapping"}],"type":"search_phase_execution_exception","reason":"all shards failed"},"status":400}`), "", "status 400 query_shard_exception: No mapping"},
		{"or of one beside an empty list", status(503, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"","phase":"fetch","caused_by":{"type":"too_many_buckets_exception","reason":"Trying"}},"status":503}`), "", "status 503 too_many_buckets_exception: Trying"},
		{"or of itself", status(404, `{"error":{"type":"index_not_found_exception","reason":"no such\nindex"},"status":404}`), "", "status 404 index_not_found_exception: no such index"},
		{"a text is not quoted", status(502, `<html>Bad Gateway</html>`), "", "status 502"},
		{"nor an error that is a text", status(429, `{"error":"rate limited"}`), "", "status 429"},
		{"refused credentials are told", status(401, `Unauthorized`), "", "check the credentials"},
		{"a redirect is refused", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
		}, "", "redirects are not followed"},
		{"a body that is too long by its length", sized(maxTest + 1), "", "too large: a response of 1025 bytes"},
		{"a body that is too long", func(w http.ResponseWriter, _ *http.Request) {
			for range 10 {
				_, _ = io.WriteString(w, strings.Repeat("x", maxTest/8))
				_ = http.NewResponseController(w).Flush()
			}
		}, "", "too large: at most 1024 bytes"},
		{"a body with just the limit", sized(maxTest), strings.Repeat("x", maxTest), ""},
		{"compressed responses are refused", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 1<<20))
			_ = z.Close()
		}, "", "a content coding that the request did not ask for"},
		{"a body that ends with its connection", hijack("HTTP/1.1 200 OK\r\n\r\n{}"), "", "cannot be told from a lost connection"},
		{"a body that is cut", hijack("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}"), "", "unexpected EOF"},
		{"chunks that are cut", hijack("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), "", "unexpected EOF"},
		{"no HTTP", hijack("\x15\x03\x01\x00\x02\x02\x46"), "", "malformed HTTP"},
		{"an endless head", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 2*maxHead))
		}, "", "exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := node(t, Options{}, tt.node)
			got, err := c.Do(t.Context(), 0, Request{Method: "POST", Path: "/a%2Cb/_search", Query: map[string][]string{"x": {"1"}}, Body: []byte("{}"), MaxResponse: maxTest}, nil)
			if (err == nil) != (tt.err == "") || err != nil && (!strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), c.Name(0))) || string(got) != tt.body {
				t.Errorf("%q, %v", got, err)
			}
			if strings.Contains(fmt.Sprint(err), "x=1") {
				t.Errorf("the error quotes the query: %v", err)
			}
		})
	}
}

// maxTest is MaxResponse in these tests.
const maxTest = 1024

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func sized(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", n)) }
}

// Credentials are sent, and no error repeats them, even if the node does.
func TestCredentialsAreHidden(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "aws-secret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	for _, tt := range []struct {
		name    string
		options Options
		sent    string // how Authorization begins
		secrets []string
	}{
		{"basic", Options{User: "me", Password: "pass word"}, "Basic bWU6cGFzcyB3b3Jk", []string{"bWU6cGFzcyB3b3Jk", "pass word"}},
		{"an API key", Options{APIKey: "a2V5OnNlY3JldA=="}, "ApiKey a2V5OnNlY3JldA==", []string{"a2V5OnNlY3JldA=="}},
		{"AWS", Options{AWS: "eu-central-1/aoss"}, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/", []string{"aws-secret"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sent atomic.Value
			c := node(t, tt.options, func(w http.ResponseWriter, r *http.Request) {
				sent.Store(r.Header.Get("Authorization"))
				w.WriteHeader(403)
				fmt.Fprintf(w, `{"error":{"type":"security_exception","reason":"no permissions for %s and pass word"}}`, r.Header.Get("Authorization"))
			})
			_, err := c.Do(t.Context(), 0, Request{Method: "GET", Path: "/x", MaxResponse: maxTest}, nil)
			if got, _ := sent.Load().(string); !strings.HasPrefix(got, tt.sent) {
				t.Errorf("sent %q, want %q", got, tt.sent)
			}
			for _, secret := range tt.secrets {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("the error has the secret: %v", err)
				}
			}
			if !strings.Contains(fmt.Sprint(err), "security_exception") {
				t.Error(err)
			}
		})
	}
}

// A context ends a request in each of its stages, with its own error.
func TestContextEndsRequests(t *testing.T) {
	errEnough := errors.New("enough")
	for _, tt := range []struct {
		name  string
		begin string // what the node sends
	}{
		{"before the head", ""},
		{"inside of the head", "HTTP/1.1 200 OK\r\nContent-Le"},
		{"inside of the body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"},
		{"inside of the body of an error", "HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\n{"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			released := make(chan struct{})
			c := node(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, tt.begin)
				time.AfterFunc(20*time.Millisecond, func() { cancel(errEnough) }) // later is as good: the response never goes on
				<-released
				_ = conn.Close()
			})
			_, err := c.Do(ctx, 0, Request{Method: "GET", Path: "/x", MaxResponse: maxTest}, nil)
			close(released)
			if e, ok := errors.AsType[*StatusError](err); !errors.Is(err, errEnough) && (!ok || e.Status != 503) {
				t.Error(err)
			}
		})
	}
}

// A node that closes a connection while the next request is on its way costs no error of a repeatable
// request. Another one is not sent again.
func TestClosedConnections(t *testing.T) {
	c := node(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") // without Connection: close
		_, _ = buffered.ReadByte()                                                    // of the next request
		_ = conn.Close()
	})
	for _, repeatable := range []bool{true, false} {
		failed := 0
		for range 10 {
			if _, err := c.Do(t.Context(), 0, Request{Method: "POST", Path: "/x", Body: []byte("{}"), Repeatable: repeatable, MaxResponse: maxTest}, nil); err != nil {
				failed++
			}
		}
		if repeatable != (failed == 0) {
			t.Errorf("repeatable: %t; %d requests failed", repeatable, failed)
		}
	}
}

// Close ends connections that are being opened, for requests that have ended.
func TestCloseEndsDialing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	c := client(t, Options{}, "https://"+ln.Addr().String()) // nobody accepts: the handshake hangs
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, 0, Request{Method: "GET", Path: "/x", MaxResponse: maxTest}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	c.Close()
	if _, err := c.Do(t.Context(), 0, Request{Method: "GET", Path: "/x", MaxResponse: maxTest}, nil); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// Nodes are checked by the authorities of the file alone, and versions of TLS below 1.2 are refused.
func TestCertificates(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer server.Close()
	server.Config.ErrorLog = discard()
	get := func(c *Client) error {
		_, err := c.Do(t.Context(), 0, Request{Method: "GET", Path: "/x", MaxResponse: maxTest}, nil)
		return err
	}
	if err := get(client(t, Options{}, server.URL)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
	if err := get(client(t, Options{CAFile: pemFile(t, server.Certificate().Raw)}, server.URL)); err != nil {
		t.Error(err)
	}
	if err := get(client(t, Options{CAFile: pemFile(t, otherAuthority(t))}, server.URL)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("another authority: %v", err)
	}
}
