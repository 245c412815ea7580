package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

// TestWhyAsksNodes asks nodes that have an item, lack it, fail, or lead elsewhere.
func TestWhyAsksNodes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("content/site", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("content/site/a.json", []byte(`{"ContentID":"a","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]string{200: "has it, release 0123456789abcdef", 404: "does not have it, release 0123456789abcdef", 503: "unknown: it answers 503", 302: "unknown: it answers 302"} {
		node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodHead || r.URL.Path != address.Item.Path("site", "a") {
				t.Errorf("%s %s", r.Method, r.URL)
			}
			w.Header().Set(httpfield.Release, "0123456789abcdef")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		for _, id := range []string{"a", "site/a.json"} {
			var out, problems strings.Builder
			err := dispatch(t.Context(), []string{"why", "site", id, "--node", node.URL + "/"}, console{&out, &problems})
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%d, %s: %v\n%s%s", status, id, err, out.String(), problems.String())
			}
		}
		node.Close()
	}
}
