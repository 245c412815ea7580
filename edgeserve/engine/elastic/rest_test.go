// This file compares responses with those of a real Elasticsearch 7.10.2 over the same items.

package elastic_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// TestElasticsearch compares responses with those in testdata/rest, which a real Elasticsearch gave with
// items.ndjson in an index "shelf". Of each there is a line with the target, a tab and the body, and one with
// the status and the response: of an error its type and the types of its causes.
func TestElasticsearch(t *testing.T) {
	names, err := filepath.Glob("testdata/rest/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	items, err := os.ReadFile("testdata/rest/items.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{reader: searchtest.Named(t, "shelf", strings.Split(strings.TrimSpace(string(items)), "\n"))}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
			for i := 0; i < len(lines); i++ {
				if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
					continue
				}
				target, body, _ := strings.Cut(lines[i], "\t")
				i++
				want := strings.TrimPrefix(lines[i], "  ")
				status, got := c.answer(t, target, strings.ReplaceAll(body, `⏎`, "\n"))
				if got = comparable(t, status, got); !sameJSON(got, want) {
					t.Errorf("%s\t%s\n got %s\nwant %s", target, body, got, want)
				}
			}
		})
	}
}

// comparable is a status and what is compared of its response.
func comparable(t *testing.T, status int, response string) string {
	var e struct {
		Error any `json:"error"`
	}
	if err := json.Unmarshal([]byte(response), &e); err != nil {
		t.Fatalf("%v: %s", err, response)
	}
	if status != 200 && e.Error != nil {
		return fmt.Sprint(status, " ", errorTypes(e.Error))
	}
	return fmt.Sprint(status, " ", response)
}

// errorTypes are the type of an error and those of its causes.
func errorTypes(e any) string {
	o, _ := e.(map[string]any)
	types := fmt.Sprint(o["type"])
	causes, _ := o["root_cause"].([]any)
	for _, c := range causes {
		types += fmt.Sprint(" ", c.(map[string]any)["type"])
	}
	return types
}

// sameJSON compares a status and a response. How long a search takes, reasons of errors, and the order of
// members do not count.
func sameJSON(a, b string) bool {
	statusA, a, _ := strings.Cut(a, " ")
	statusB, b, _ := strings.Cut(b, " ")
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return statusA == statusB && a == b
	}
	return statusA == statusB && reflect.DeepEqual(withoutChance(x), withoutChance(y))
}

func withoutChance(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutChance(v[i])
		}
	case map[string]any:
		delete(v, "took")
		delete(v, "_shards")
		if e, ok := v["error"]; ok && v["status"] != nil {
			v["error"] = errorTypes(e)
		}
		for k := range v {
			v[k] = withoutChance(v[k])
		}
	}
	return v
}
