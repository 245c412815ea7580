// These tests ask real servers with one fault each, over real connections.

package clusternodes

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/wire/clusterhttp"
)

// server starts a node, and returns its address.
func server(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// raw is a node that sends a text over each connection, then does nothing until the test ends or, with
// closes, closes it.
func raw(t *testing.T, text string, closes bool) http.HandlerFunc {
	t.Helper()
	ended := t.Context().Done()
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, text)
		if closes {
			return
		}
		gone := make(chan struct{})
		go func() {
			_, _ = conn.Read(make([]byte, 1)) // until the client closes
			close(gone)
		}()
		select {
		case <-gone:
		case <-ended:
		}
	}
}

// drips sends a body byte by byte, for ever.
func drips(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000000")
	for {
		if _, err := w.Write([]byte(" ")); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(5 * time.Millisecond): // a byte of a slow body
		}
	}
}

func answers(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// nobody returns an address at which nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return "http://" + ln.Addr().String()
}

// TestFaults asks a node with a fault, beside one that answers: each request is answered. Then it asks
// the node with the fault alone.
func TestFaults(t *testing.T) {
	good := `{"took":1}`
	for _, tt := range []struct {
		name string
		node func(t *testing.T) string
		err  error // of the node alone
		says string
		fits bool // the node answers
	}{
		{"refuses connections", nobody, cluster.ErrUnavailable, "refused", false},
		{"has an unknown name", func(*testing.T) string { return "http://no-such-node.invalid:9200" }, cluster.ErrUnavailable, "no-such-node", false},
		{"hangs before the head", func(t *testing.T) string { return server(t, raw(t, "", false)) }, cluster.ErrUnavailable, "deadline", false},
		{"hangs inside of the head", func(t *testing.T) string { return server(t, raw(t, "HTTP/1.1 200 OK\r\nX: ", false)) }, cluster.ErrUnavailable, "deadline", false},
		{"hangs inside of the body", func(t *testing.T) string {
			return server(t, raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", false))
		}, cluster.ErrUnavailable, "deadline", false},
		{"drips", func(t *testing.T) string { return server(t, drips) }, cluster.ErrUnavailable, "deadline", false},
		{"closes in the body", func(t *testing.T) string {
			return server(t, raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", true))
		}, cluster.ErrUnavailable, "EOF", false},
		{"closes at once", func(t *testing.T) string { return server(t, raw(t, "", true)) }, cluster.ErrUnavailable, "EOF", false},
		{"429", func(t *testing.T) string { return server(t, answers(429, "{}")) }, cluster.ErrUnavailable, "429", false},
		{"503", func(t *testing.T) string { return server(t, answers(503, "{}")) }, cluster.ErrUnavailable, "503", false},
		{"200 with garbage", func(t *testing.T) string { return server(t, answers(200, "<html></html>")) }, cluster.ErrUnavailable, "not a JSON object", false},
		{"200 with nothing", func(t *testing.T) string { return server(t, answers(200, "")) }, cluster.ErrUnavailable, "not a JSON object", false},
		{"redirects", func(t *testing.T) string {
			return server(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
			})
		}, cluster.ErrUnavailable, "redirects are not followed", false},
		{"closes connections between requests", func(t *testing.T) string {
			return server(t, raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"+good, true))
		}, nil, "", true},
		{"a certificate of an unknown authority", func(t *testing.T) string {
			s := httptest.NewUnstartedServer(answers(200, good))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			return s.URL
		}, cluster.ErrUnavailable, "certificate", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := tt.node(t)
			both, err := New(clusterhttp.Options{Nodes: []string{bad, server(t, answers(200, good))}}, Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer both.Close()
			got := ""
			for both.cfg.Deadline = 2 * time.Second; both.cfg.Deadline < 5*time.Minute; both.cfg.Deadline *= 4 { // a busy machine is slow
				both.next = 0
				if got, _, err = ask(t.Context(), both); err == nil {
					break
				}
			}
			if err != nil || got != good {
				t.Errorf("with another node: %q, %v", got, err)
			}
			alone, err := New(clusterhttp.Options{Nodes: []string{bad}}, Config{Deadline: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer alone.Close()
			if tt.fits {
				alone.cfg.Deadline = time.Minute
			}
			_, _, err = ask(t.Context(), alone)
			if !errors.Is(err, tt.err) || !strings.Contains(fmt.Sprint(err), tt.says) && !strings.Contains(fmt.Sprint(err), "deadline") {
				t.Errorf("alone: %v", err)
			}
		})
	}
}
