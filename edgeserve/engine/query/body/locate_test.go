package body

import (
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
)

// TestLocate: the mark ^ in a body is where its error is.
func TestLocate(t *testing.T) {
	for _, marked := range []string{
		`{"query":{^"mtach":{"Name":"x"}}}`,
		`{"query":{"bool":{"must":[{"match":{"a":"b"}},{^"x":{}}]}}}`,
		`{"query":{"query_string":{"query":"a\u0041 AND^"}}}`,
		`{"query":{"query_string":{"query":"é\n\"x\" (^"}}}`,
		`{"query":{"match":{"a.b":"x"},^}}`,
		`{"size":1^`,
		"\ufeff{ // comment\n^\"siez\":1}",
		`{^"size":"x"}`,
		`{"aggs":{"t":{^"trems":{}}}}`,
	} {
		body := strings.Replace(marked, "^", "", 1)
		b, err := Parse([]byte(body))
		e, ok := err.(*query.Error)
		if err == nil {
			if q, is := b.Query.(*query.QueryString); is && q.Err != nil {
				e, ok = q.Err, true
			}
		}
		if !ok {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got, want := Locate([]byte(body), e), strings.Index(marked, "^"); got != want {
			t.Errorf("%s: %d, want %d (%s %s %d)", marked, got, want, e.Code, e.Parameter, e.Position)
		}
	}
	for _, e := range []query.Error{{Position: -1}, {Position: 100}, {Parameter: "none", Position: 2}, {Parameter: "query[7]", Position: -1}} {
		if got := Locate([]byte(`{"query":[]}`), &e); got != -1 {
			t.Errorf("%+v: %d", e, got)
		}
	}
}

func TestParseSaved(t *testing.T) {
	for _, tt := range []struct {
		text, body        string
		pages, from, size int
		files             int // of 25 matches
	}{
		{``, `{}`, 1, 0, 10, 1},
		{`null`, `{}`, 1, 0, 10, 1},
		{"{ // all\n\"pages\": 3 }", `{}`, 3, 0, 10, 3},
		{`{"pages":4,"size":10,"query":{"match":{"a":"<b>"}}}`, "{\"size\":10,\"query\":{\"match\":{\"a\":\"\\u003cb\\u003e\"}}}", 4, 0, 10, 3},
		{`{"from":5, "size": 7, "pages": 1000}`, `{"from":5,"size":7}`, 1000, 5, 7, 3},
		{`{"from":50,"pages":2,"sort":[{"a":"desc"},"b"],"track_total_hits":true}`, `{"from":50,"sort":[{"a":"desc"},"b"],"track_total_hits":true}`, 2, 50, 10, 1},
		{`{"size":0}`, `{"size":0}`, 1, 0, 0, 1},
	} {
		s, err := ParseSaved([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if string(s.Body) != tt.body || s.Pages != tt.pages || s.From != tt.from || s.Size != tt.size || s.Files(25) != tt.files {
			t.Errorf("%s: %s %d %d %d, files %d", tt.text, s.Body, s.Pages, s.From, s.Size, s.Files(25))
		}
		if again, err := ParseSaved(s.Body); err != nil || string(again.Body) != string(s.Body) {
			t.Errorf("%s: its body is parsed as %v, %v", tt.text, again, err)
		}
	}
	for text, want := range map[string]string{
		`{"pages":0}`: "pages must be from 1 to 1000", `{"pages":1001}`: "pages must be from 1 to 1000", `{"pages":"x"}`: "pages must be an integer",
		`{"pages":2,"size":0}`: "from + pages times size", `{"pages":2,"size":` + window(0) + `}`: "from + pages times size", `[]`: "must be a JSON object",
		`{"page":1}`: `unknown member "page"`, `{"query":{"x":{}}}`: "unknown query", `{"from":` + window(-1) + `,"size":2}`: "from + size",
	} {
		if _, err := ParseSaved([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzSaved: a saved search's body means what its text does, and errors are found in the text.
func FuzzSaved(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{"pages":3,"size":2,"query":{"match":{"a":"\u003cb\ud800"}}}`, "\ufeff{ // x\n\"from\":1}", `{"pages":"2"}`, `{"query":{"x":{}}}`,
		`{"query":{"bool":{"must":[{"y":1}]}},"pages":1e1}`, `{"query":{"query_string":{"query":"\u0061 AND"}}}`, `{"aggs":{"a":{"terms":{"field":"b","size":-0}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := ParseSaved(raw)
		if err != nil {
			if at := Locate(raw, err.(*query.Error)); at < -1 || at > len(raw) {
				t.Fatalf("%v at %d", err, at)
			}
			return
		}
		again, err := ParseSaved(s.Body)
		if err != nil || string(again.Body) != string(s.Body) || again.From != s.From || again.Size != s.Size {
			t.Fatalf("%s becomes %s, then %+v, %v", raw, s.Body, again, err)
		}
		if s.Pages < 1 || s.Pages > maxSavedPages || s.Files(1<<40) > s.Pages || s.Files(0) != 1 {
			t.Fatalf("%+v", s)
		}
	})
}
