package main

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"contentedge/edgeserve/exitcode"
)

func TestHealth(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	defer server.Close()
	addr := server.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	ask := func(environ []string, args ...string) (string, error) {
		var out strings.Builder
		err := newProgram(&out, io.Discard, environ, nil).Run(context.Background(), append([]string{"health"}, args...))
		return out.String(), err
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	for _, c := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{nil, []string{server.URL}, "/readyz\n"},
		{nil, []string{server.URL + "/x"}, "/x\n"},
		{nil, []string{"--addr", addr, "--live"}, "/livez\n"},
		{[]string{"CONTENTEDGE_ADDR=127.0.0.1:1", "CONTENTEDGE_ADMIN=:" + port}, nil, "/readyz\n"},
		{[]string{"CONTENTEDGE_ADDR=0.0.0.0:" + port, "CONTENTEDGE_POLL=3s"}, nil, "/readyz\n"},
	} {
		if got, err := ask(c.environ, c.args...); err != nil || got != c.want {
			t.Errorf("%v %v: %q, %v", c.environ, c.args, got, err)
		}
	}
	secure := httptest.NewTLSServer(server.Config.Handler)
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	if got, err := ask([]string{"CONTENTEDGE_TLS_CERT=cert.pem"}, "--addr", secure.Listener.Addr().String()); err != nil || got != "/readyz\n" {
		t.Errorf("by HTTPS: %q, %v", got, err)
	}
	if got, err := ask(nil, secure.URL); err == nil {
		t.Errorf("another server with an unknown certificate: %q", got)
	}
	status = http.StatusServiceUnavailable
	if _, err := ask(nil, server.URL); err == nil || !strings.Contains(err.Error(), "503") || finish(err, io.Discard) != exitcode.Machine {
		t.Errorf("not ready: %v", err)
	}
	server.Close()
	if _, err := ask(nil, server.URL); err == nil || finish(err, io.Discard) != exitcode.Machine {
		t.Errorf("not there: %v", err)
	}
	for listen, want := range map[string]string{
		":8080": "http://127.0.0.1:8080/readyz", "[::]:80": "http://[::1]:80/readyz", "127.0.0.1:http": "http://127.0.0.1:80/readyz",
		"[fe80::1%eth0]:80": "http://[fe80::1%25eth0]:80/readyz",
	} {
		if got, err := (&health{addr: listen}).url(nil); err != nil || got != want {
			t.Errorf("the probe of a server at %s: %s, %v", listen, got, err)
		}
	}
	if _, err := (&health{addr: "8080"}).url(nil); err == nil || finish(err, io.Discard) != 3 {
		t.Errorf("no address: %v", err)
	}
	for _, wrong := range []string{"ftp://x", "127.0.0.1:1"} {
		if _, err := ask(nil, wrong); finish(err, io.Discard) != 3 {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
