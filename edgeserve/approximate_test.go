package edgeserve

import (
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/httpfield"
)

// roughly evaluates searches from a snapshot and says that the results of some are approximate.
type roughly struct{ search.Snapshot }

func (e roughly) Search(work *scorer.WorkLimit, body *query.Body, forHits bool) (*hits.Result, error) {
	found, err := e.Snapshot.Search(work, body, forHits)
	if err == nil && body.Window.Size != 1 {
		found.Approximate = []string{"suggestions", "more_like_this"}
	}
	return found, err
}

func (e roughly) Explain(work *scorer.WorkLimit, body *query.Body, id string) (hits.Explained, error) {
	explained, err := e.Snapshot.Explain(work, body, id)
	explained.Approximate = []string{"explanations"}
	return explained, err
}

// TestApproximate shows how responses tell that results are approximate: computed, cached, and not modified.
func TestApproximate(t *testing.T) {
	dir := t.TempDir()
	pair.write(t, dir)
	for _, start := range []func(*testing.T, func(*ServerConfig)) (*Server, string){startServer, startEngine} {
		s, addr := start(t, nil) // it loads no release by itself
		g, err := generation.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := g.Dir.Readers["demo"]
		g.Content = &answer.Release{Manifest: g.Dir.Manifest, HasFile: g.Dir.HasFile, Environments: map[string]*elastic.Index{
			"demo": {Items: roughly{search.Snapshot{Reader: r}}, Fields: fields.Resolver{Reader: r}},
		}}
		if err := s.Swap(g); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ method, target, body, want string }{
			{"POST", "/cda/es/v1/demo", `{"size":2}`, "suggestions, more_like_this"},
			{"POST", "/cda/es/v1/demo", `{"size":1}`, ""},
			{"POST", "/cda/es/v1/demo/_search", `{"size":2,"aggs":{"a":{"value_count":{"field":"Name.keyword"}}}}`, "suggestions, more_like_this"},
			{"POST", "/cda/es/v1/demo/_search", `{"size":1}`, ""},
			{"POST", "/cda/es/v1/demo/_count", `{}`, "suggestions, more_like_this"},
			{"POST", "/cda/es/v1/_msearch", "{\"index\":\"demo\"}\n{\"size\":1}\n{\"index\":\"demo\"}\n{}\n", "suggestions, more_like_this"},
			{"POST", "/cda/es/v1/demo/_explain/Content_1", `{"query":{"match_all":{}}}`, "explanations"},
			{"GET", "/cda/rest/v1/demo/contents?pageSize=3", "", "suggestions, more_like_this"},
			{"GET", "/cda/rest/v1/demo/contents/Content_1", "", ""},
		} {
			tag := ""
			for i := range 4 {
				conditional := ""
				if i == 3 && tt.method == "GET" {
					conditional = httpfield.IfNoneMatch + ": " + tag + "\r\n"
				}
				response, body := ask(t, addr, tt.method, tt.target, "Origin: https://page.example\r\n"+conditional, tt.body)
				tag = response.Header.Get(httpfield.ETag)
				status := 200
				if conditional != "" {
					status = 304
				}
				if got := response.Header.Get(httpfield.Approximate); response.StatusCode != status || got != tt.want {
					t.Errorf("%s %s %s: %d, %q, want %q", tt.method, tt.target, tt.body, response.StatusCode, got, tt.want)
				}
				if !strings.Contains(response.Header.Get(httpfield.ExposeHeaders), httpfield.Approximate) {
					t.Errorf("%s: pages of other origins cannot read the field", tt.target)
				}
				if told := strings.Contains(body, `"approximate":true`); status == 200 && told != (tt.want != "") {
					t.Errorf("%s %s: %s", tt.target, tt.body, body)
				}
			}
		}
	}
}
