// This file sends any calls.

package elastic_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// FuzzCall checks that each call has a response in JSON, or an error, the same one twice.
func FuzzCall(f *testing.F) {
	file, err := os.ReadFile("testdata/responses.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.SplitSeq(string(file), "\n") {
		if strings.HasPrefix(line, "/") {
			target, body, _ := strings.Cut(line, "\t")
			f.Add(target, strings.ReplaceAll(body, "⏎", "\n"))
		}
	}
	r := searchtest.Snaptest(f, items())
	f.Fuzz(func(t *testing.T, target, body string) {
		path, parameters, _ := strings.Cut("/cda/es/v1"+target, "?")
		route, ok := address.ParsePath(path)
		if !ok || !route.Kind.IsElastic() || len(body) > 4096 {
			return
		}
		answer := func() string {
			call := elastic.Call{Route: route, Query: parameters, Body: []byte(body), Work: scorer.NewWorkLimit(t.Context()), Problem: problemOf, Count: func(query.Node) {},
				Indices: indices(r, "site"),
				Next:    func() (*scorer.WorkLimit, *problem.Problem) { return scorer.NewWorkLimit(t.Context()), nil }}
			response, err := call.Respond()
			var out []byte
			if err == nil {
				out, err = response.Write(nil)
			}
			if err != nil {
				if p := problemOf(err); p.Status == 500 {
					t.Fatalf("%s: %v", target, err)
				}
				out = elastic.AppendError(nil, problemOf(err), route)
			}
			return string(out)
		}
		first := answer()
		if !json.Valid([]byte(first)) {
			t.Fatalf("%s %s: %s", target, body, first)
		}
		if again := answer(); again != first && !strings.Contains(body+parameters, "now") {
			t.Fatalf("%s %s: %s, then %s", target, body, first, again)
		}
	})
}
