// This file sends bodies of all constructs with hostile values in place of each of theirs.

package elastic_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// hostile are JSON values that no client means.
var hostile = []string{
	`""`, `"年"`, `"é\u0000\uD83D"`, `"*"`, `"_id"`, `"now-1M/M||"`, `"` + strings.Repeat("a", 5000) + `"`, `"-1"`, `"||"`, `"~"`, `"<1-9>"`, `"100%"`, `"2<-25% 9<-3"`,
	`0`, `-1`, `0.5`, `1`, `2147483648`, `-9223372036854775808`, `9223372036854775808`, `1e308`, `1e-320`, `-0.0`, `true`, `null`, `[]`, `{}`, `[[]]`, `[null]`, `[1,"a"]`, `{"a":{}}`, `{"from":1,"to":0}`,
}

// One of hostileEvery replacements is tried, another one at each place; with TEST_CONTENTEDGE_ORACLE all are.
const hostileEvery = 8

// hostileTime is how long a body may take at the most, on a busy machine too.
const hostileTime = 5 * time.Second

func TestHostileValues(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "scripts", "elasticsearch.d", "bodies", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no bodies: %v", err)
	}
	r := searchtest.Snaptest(t, items())
	every := hostileEvery
	if os.Getenv("TEST_CONTENTEDGE_ORACLE") != "" {
		every = 1
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
				var body any
				if err := json.Unmarshal(lines.Bytes(), &body); err != nil {
					t.Fatal(err)
				}
				for _, value := range hostile {
					replaceEach(body, json.RawMessage(value), func() {
						if tried++; tried%every != 0 {
							return
						}
						changed, err := json.Marshal(body)
						if err != nil {
							t.Fatal(err)
						}
						send(t, r, changed)
					})
				}
			}
		})
	}
}

// replaceEach calls do with each value inside of v, objects and arrays too, replaced in turn.
func replaceEach(v any, value any, do func()) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := v[name]
			v[name] = value
			do()
			v[name] = inner
			replaceEach(inner, value, do)
		}
	case []any:
		for i, inner := range v {
			v[i] = value
			do()
			v[i] = inner
			replaceEach(inner, value, do)
		}
	}
}

// send searches with a body. It is answered in time, in JSON, without a fault of the server.
func send(t *testing.T, r *snapshot.Reader, body []byte) {
	t.Helper()
	began := time.Now()
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%s panics: %v", body, cause)
		}
		if took := time.Since(began); took > hostileTime {
			t.Errorf("%s took %v", body, took)
		}
	}()
	hang := time.AfterFunc(10*hostileTime, func() { panic(fmt.Sprintf("%s hangs", body)) })
	defer hang.Stop()
	call := elastic.Call{Route: address.Route{Kind: address.ElasticSearch, Env: "site"}, Body: body, Work: scorer.NewWorkLimit(t.Context()),
		Problem: problemOf, Count: func(query.Node) {}, Indices: indices(r, "site"),
		Next: func() (*scorer.WorkLimit, *problem.Problem) { return scorer.NewWorkLimit(t.Context()), nil }}
	response, err := call.Respond()
	var out []byte
	if err == nil {
		out, err = response.Write(nil)
	}
	switch {
	case err != nil && problemOf(err).Status >= 500:
		t.Errorf("%s: %v", body, err)
	case err == nil && !json.Valid(out):
		t.Errorf("%s: %s", body, out)
	}
}
