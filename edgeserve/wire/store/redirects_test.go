// These tests redirect clients of a store, which must not carry credentials elsewhere.

package store

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

func TestRedirectsCarryNothing(t *testing.T) {
	asked := make(chan http.Header, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header }))
	defer other.Close()
	from := httptest.NewServer(http.RedirectHandler(other.URL+"/elsewhere", http.StatusTemporaryRedirect))
	defer from.Close()
	storetest.Environment(t, from.URL)
	if _, _, err := read(open(t, "", Options{}), "k", GetOptions{}); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("a redirected bucket: %v", err)
	}
	if len(asked) > 0 {
		t.Error("a redirect of S3 was followed")
	}
	s, err := Open(from.URL+"/files", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(s, "k", GetOptions{}); err == nil || !strings.Contains(err.Error(), "leaves the port") || len(asked) > 0 {
		t.Errorf("a redirect to another server: %v", err)
	}
	here := http.NewServeMux()
	here.Handle("/files/", http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	here.HandleFunc("/elsewhere", func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header })
	from.Config.Handler = here
	if _, _, err := read(s, "k", GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if h := <-asked; h.Get("Authorization") != "" || strings.Contains(fmt.Sprint(h), storetest.Access) {
		t.Errorf("the redirect carried %v", h)
	}
}

func TestPlainHTTPStaysOnTheMachine(t *testing.T) {
	for name, refused := range map[string]bool{
		"http://files.example/x": true, "http://10.0.0.7/x": true, "http://localhost.example": true, "http://0.0.0.0/x": true,
		"http://localhost:80/x": false, "http://127.9.9.9/x": false, "http://[::1]:8080/x": false, "https://files.example/x": false,
	} {
		if _, err := Open(name, Options{}); errors.Is(err, ErrInsecure) != refused || err != nil && !refused {
			t.Errorf("%s: %v", name, err)
		}
		if s, err := Open(name, Options{Insecure: true}); err != nil || s.Insecure() != refused {
			t.Errorf("%s, allowed: %v", name, err)
		}
	}
}

func TestRedirectsStayInTLS(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer secure.Close()
	s, err := Open(secure.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(s, "k", GetOptions{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
	s.client.Transport = secure.Client().Transport
	if _, _, err := read(s, "k", GetOptions{}); err == nil || !strings.Contains(err.Error(), "leaves HTTPS") {
		t.Errorf("a redirect to HTTP: %v", err)
	}
}
