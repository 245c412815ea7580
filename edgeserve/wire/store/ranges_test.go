package store

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestRanges gives a reader that asks for a part no other part: a proxy may ignore Range, or send what it likes.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name, contentRange string
		status             int
		ok                 bool
	}{
		{"the part", "bytes 4-4/5", http.StatusPartialContent, true},
		{"the whole", "", http.StatusOK, false},
		{"an earlier part", "bytes 0-4/5", http.StatusPartialContent, false},
		{"a later part", "bytes 5-5/6", http.StatusPartialContent, false},
		{"a part without a place", "", http.StatusPartialContent, false},
		{"another unit", "lines 4-4/5", http.StatusPartialContent, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Range"); got != "bytes=4-" {
					t.Errorf("Range is %q", got)
				}
				if c.contentRange != "" {
					w.Header().Set("Content-Range", c.contentRange)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte("o"))
			}))
			defer server.Close()
			s, err := Open(server.URL+"/", Options{})
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := read(s, "k", GetOptions{Offset: 4})
			if c.ok && (err != nil || text != "o") || !c.ok && (!errors.Is(err, errRange) || text != "") {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}
