package store

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestValidBucket(t *testing.T) {
	for name, want := range map[string]bool{
		"abc": true, strings.Repeat("a", 63): true, "a.b-c0": true,
		"": false, "ab": false, strings.Repeat("a", 64): false, "a..b": false, "ABC": false, "a/b": false, "a b": false, "ä23": false,
	} {
		if validBucket(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}

// TestReleaseIsAsked names the release that a reader wants: a node with another one refuses.
func TestReleaseIsAsked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Header.Get("X-Release")))
	}))
	defer server.Close()
	s, err := Open(server.URL+"/", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"", "0123456789abcdef"} {
		if got, _, err := read(s, "k", GetOptions{Release: release}); err != nil || got != release {
			t.Errorf("%q: %q %v", release, got, err)
		}
	}
}
