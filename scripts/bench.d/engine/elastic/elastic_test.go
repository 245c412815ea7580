// These tests ask a stand-in for a node.

package elastic

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"bench/corpus"
	"bench/engine"
	"bench/queries"
)

func TestEngine(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+string(body))
		switch {
		case strings.HasSuffix(r.URL.Path, "/_bulk"):
			io.WriteString(w, `{"errors":false}`)
		case strings.HasSuffix(r.URL.Path, "/_stats/store"):
			io.WriteString(w, `{"_all":{"primaries":{"store":{"size_in_bytes":123}}}}`)
		case strings.Contains(string(body), "nope"):
			w.WriteHeader(http.StatusBadRequest)
		default:
			io.WriteString(w, `{"took":1,"hits":{"total":{"value":42,"relation":"eq"},"hits":[]}}`)
		}
	}))
	defer server.Close()
	t.Setenv(URL, server.URL)
	t.Setenv(PID, strconv.Itoa(os.Getpid()))
	items := [][]byte{[]byte(`{"ContentID":"a","Data":{"t":"x","n":1}}`), []byte(`{"ContentID":"b","Data":{"t":"y","n":2}}`)}
	if err := (Engine{}).Build(items, corpus.Detect(items), ""); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(asked, "\n")
	for _, want := range []string{
		`"n":{"ignore_malformed":true,"type":"double"},"t":{"fields":{"keyword":`,
		"{\"index\":{\"_id\":\"a\"}}\n" + string(items[0]) + "\n{\"index\":{\"_id\":\"b\"}}\n", "POST /bench/_forcemerge",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
	if size, err := (Engine{}).Size(); size != 123 || err != nil {
		t.Errorf("the index has %d bytes, %v", size, err)
	}
	s, err := Engine{}.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Prepare(queries.Query{Body: `{"query":{"match_all":{}}}`})
	if err != nil {
		t.Fatal(err)
	}
	if total, err := answer(); total != 42 || err != nil {
		t.Errorf("%d, %v", total, err)
	}
	var refusal *engine.Refusal
	if _, err := s.Prepare(queries.Query{Body: `{"query":{"nope":{}}}`}); !errors.As(err, &refusal) {
		t.Errorf("a refused body is %v", err)
	}
	if n := s.(*node).CPU(); n < 0 {
		t.Errorf("%d ns", n)
	}
}
