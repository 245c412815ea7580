package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clientItems are content for the public clients of the interface: pages to search, and
// documents with facets.
const clientItems = `
{"ContentID":"Content_01","Name":"welcome","TemplateName":"Page","CreatedAt":"2024-03-01T00:00:00Z","Data":{"title":"Welcome","content":"Opening hours of the library and the reading room."}}
{"ContentID":"Content_02","Name":"hours","TemplateName":"Page","CreatedAt":"2024-03-02T00:00:00Z","Data":{"title":"Hours","content":"Hours, hours, hours: the library opens at nine."}}
{"ContentID":"Content_03","Name":"news-hours","TemplateName":"News Item","CreatedAt":"2024-03-03T00:00:00Z","Data":{"title":"New hours","content":"The library changes its hours."}}
{"ContentID":"Content_11","Name":"budget-2023","TemplateName":"Page Article","CreatedAt":"2024-02-01T00:00:00Z","Data":{"contentTitle":"Annual budget report","department":"Finance","createdDate":"2023-05-01 09:00","file":{"Extension":"pdf","Size":4096}}}
{"ContentID":"Content_12","Name":"budget-2024","TemplateName":"Page Article","CreatedAt":"2024-02-02T00:00:00Z","Data":{"contentTitle":"Annual budget plan","department":"Finance","createdDate":"2023-06-01 09:00","file":{"Extension":"pdf","Size":2097152}}}
{"ContentID":"Content_13","Name":"minutes","TemplateName":"Page Article","CreatedAt":"2024-02-03T00:00:00Z","Data":{"contentTitle":"Minutes of the board","department":"Board","createdDate":"2023-05-01 18:30","file":{"Extension":"docx","Size":1024}}}
{"ContentID":"Content_14","Name":"report","TemplateName":"Page Article","CreatedAt":"2024-02-04T00:00:00Z","Data":{"contentTitle":"Report on reading rooms","department":"Library Services","createdDate":"2023-05-02 08:00","file":{"Extension":"pdf","Size":1048576}}}
`

// clientAnswer are the members of a response that clients read.
type clientAnswer struct {
	Status     int `json:"status"`
	TotalItems int `json:"totalItems"`
	Data       []struct{ ContentID string }
	Aggs       map[string]struct {
		Buckets []struct {
			Key   string `json:"key"`
			Count int    `json:"doc_count"`
		} `json:"buckets"`
	} `json:"aggregations"`
}

// TestClients sends the bodies of public clients, page by page.
func TestClients(t *testing.T) {
	base := clientSite(t)
	for _, c := range []struct {
		name, body, want string
		anyOrder         bool // scores tie or do not matter
	}{
		{"site search", `{"size":100,"query":{"bool":{"must":[{"match":{"Data.content":"library hours"}},{"match":{"TemplateName":"Page"}}]}}}`, "2: 02 01", false},
		{"site search, rare word first", `{"size":100,"query":{"bool":{"must":[{"match":{"Data.content":"reading hours"}},{"match":{"TemplateName":"Page"}}]}}}`, "2: 01 02", false},
		{"site search, no word", `{"size":100,"query":{"bool":{"must":[{"match":{"Data.content":""}},{"match":{"TemplateName":"Page"}}]}}}`, "0:", false},
		{"all facets", facets(`{"match":{"Data.department":"Finance"}},{"match_phrase_prefix":{"Data.contentTitle":"annual bud"}},{"match_phrase_prefix":{"Data.createdDate":"2023-05-01"}},{"match":{"Data.file.Extension":"pdf"}},{"range":{"Data.file.Size.long":{"gte":"0","lte":"1048576"}}},`), "1: 11", true},
		{"no facet", facets(""), "4: 11 12 13 14", true},
		{"a department of two words", facets(`{"match":{"Data.department":"library services"}},`), "1: 14", true},
		{"a day", facets(`{"match_phrase_prefix":{"Data.createdDate":"2023-05-01"}},`), "2: 11 13", true},
		{"a month", facets(`{"match_phrase_prefix":{"Data.createdDate":"2023-05"}},`), "3: 11 13 14", true},
		{"sizes as strings", facets(`{"range":{"Data.file.Size.long":{"gte":"1048576","lte":"2097152"}}},`), "2: 12 14", true},
		{"second page", strings.Replace(facets(""), `"from":0,"size":10`, `"from":2,"size":2`, 1), "4: 12 11", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := post(t, base, c.body)
			var ids []string
			for _, d := range got.Data {
				ids = append(ids, strings.TrimPrefix(d.ContentID, "Content_"))
			}
			if c.anyOrder {
				slices.Sort(ids)
			}
			if s := strings.TrimSpace(fmt.Sprintf("%d: %s", got.TotalItems, strings.Join(ids, " "))); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

// realItems are like editors' content: ISO dates, sizes as strings, and one value of
// another type in each searched path.
var realItems = []string{
	`{"ContentID":"Content_01","Name":"welcome","TemplateName":"Page","CreatedAt":"2024-03-01T00:00:00Z","Data":{"content":"Opening hours of the library."}}`,
	`{"ContentID":"Content_02","Name":"2024","TemplateName":"Page","CreatedAt":"2024-03-02T00:00:00Z","Data":{"content":"2024-03-02"}}`,
	`{"ContentID":"Content_03","Name":"odd","TemplateName":"Page","CreatedAt":"2024-03-03T00:00:00Z","Data":{"content":7}}`,
	`{"ContentID":"Content_11","Name":"budget","TemplateName":"Page Article","CreatedAt":"2024-02-01T00:00:00Z","Data":{"contentTitle":"Annual budget report","department":"Finance","createdDate":"2023-05-08T00:00:00.000Z","file":{"Extension":"pdf","Size":"204800"}}}`,
	`{"ContentID":"Content_12","Name":"plan","TemplateName":"Page Article","CreatedAt":"2024-02-02T00:00:00Z","Data":{"contentTitle":"Annual budget plan","department":"Finance","createdDate":"2023-05-09T10:30:00.000Z","file":{"Extension":"pdf","Size":"2097152"}}}`,
	`{"ContentID":"Content_13","Name":"minutes","TemplateName":"Page Article","CreatedAt":"2024-02-03T00:00:00Z","Data":{"contentTitle":"2023-05-08","department":true,"createdDate":"2023-05-08T18:30:00.000Z","file":{"Extension":7,"Size":1024}}}`,
	`{"ContentID":"Content_14","Name":"report","TemplateName":"Page Article","CreatedAt":"2024-02-04T00:00:00Z","Data":{"contentTitle":12,"department":"Board","createdDate":"soon","file":{"Extension":"docx","Size":"unknown"}}}`,
}

// TestClientsOnRealContent sends the same bodies to realistic content, in both file
// orders: no item changes how others are found.
func TestClientsOnRealContent(t *testing.T) {
	first := map[string]string{"a.ndjson": strings.Join(realItems[:4], "\n"), "b.ndjson": strings.Join(realItems[4:], "\n")}
	turned := map[string]string{}
	for i, item := range realItems {
		turned[fmt.Sprintf("%c.json", 'z'-i)] = item
	}
	bases := []string{site(t, first), site(t, turned)}
	for body, want := range map[string]string{
		`{"size":100,"query":{"bool":{"must":[{"match":{"Data.content":"library hours"}},{"match":{"TemplateName":"Page"}}]}}}`: "1: 01",
		`{"query":{"match":{"Data.content":"7"}}}`:        "1: 03",
		`{"query":{"query_string":{"query":"budget"}}}`:   "2: 11 12",
		`{"query":{"wildcard":{"CreatedAt":"2024-03*"}}}`: "3: 01 02 03",
		facets(`{"match":{"Data.department":"Finance"}},{"match_phrase_prefix":{"Data.contentTitle":"annual bud"}},{"match_phrase_prefix":{"Data.createdDate":"2023-05-08"}},{"match":{"Data.file.Extension":"pdf"}},{"range":{"Data.file.Size.long":{"gte":"0","lte":"1048576"}}},`): "1: 11",
		facets(`{"match_phrase_prefix":{"Data.createdDate":"2023-05-08"}},`):                  "2: 11 13",
		facets(`{"match_phrase_prefix":{"Data.createdDate":"2023-05"}},`):                     "3: 11 12 13",
		facets(`{"range":{"Data.createdDate.date":{"gte":"2023-05-08","lt":"2023-05-09"}}},`): "2: 11 13",
		facets(`{"range":{"Data.file.Size.long":{"gte":"0","lte":"1048576"}}},`):              "2: 11 13",
		facets(`{"match":{"Data.department":"true"}},`):                                       "1: 13",
		facets(`{"match":{"Data.file.Extension":"7"}},`):                                      "1: 13",
		facets(`{"match_phrase_prefix":{"Data.contentTitle":"2023"}},`):                       "1: 13",
	} {
		for i, base := range bases {
			got := post(t, base, body)
			var ids []string
			for _, d := range got.Data {
				ids = append(ids, strings.TrimPrefix(d.ContentID, "Content_"))
			}
			slices.Sort(ids)
			if s := fmt.Sprintf("%d: %s", got.TotalItems, strings.Join(ids, " ")); s != want {
				t.Errorf("order %d: %s\n got %s, want %s", i, body, s, want)
			}
		}
	}
}

// TestClientFilterList reads the buckets of a client's filter list.
func TestClientFilterList(t *testing.T) {
	got := post(t, clientSite(t), `{"aggs":{"my-agg-name":{"terms":{"field":"Data.department.keyword"}}}}`)
	var keys []string
	for _, b := range got.Aggs["my-agg-name"].Buckets {
		keys = append(keys, fmt.Sprintf("%s %d", b.Key, b.Count))
	}
	if want := []string{"Finance 2", "Board 1", "Library Services 1"}; !slices.Equal(keys, want) || got.TotalItems != 7 || len(got.Data) != 7 {
		t.Errorf("got %v of %d items, want %v of 7", keys, got.TotalItems, want)
	}
}

// TestClientPositions reads items by position, as paging clients do.
func TestClientPositions(t *testing.T) {
	base := clientSite(t)
	for path, want := range map[string]string{
		"/contents": "Content_03",
		"/contents?sort=CreatedAt&sortAsc=false&pageSize=5": "Content_03",
		"/contents?sort=Name&sortAsc=true":                  "Content_11",
	} {
		var a clientAnswer
		if err := json.Unmarshal([]byte(get(t, base+"/cda/rest/v1/site"+path)), &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Data) == 0 || a.Data[0].ContentID != want || a.TotalItems != 7 {
			t.Errorf("%s: got %+v, want %s first of 7", path, a, want)
		}
	}
}

func facets(clauses string) string {
	return `{"from":0,"size":10,"query":{"bool":{"must":[` + clauses + `{"match_phrase":{"TemplateName":"Page Article"}}]}}}`
}

func clientSite(t *testing.T) (base string) {
	t.Helper()
	return site(t, map[string]string{"items.ndjson": strings.TrimSpace(clientItems)})
}

// site builds and serves an environment with these files.
func site(t *testing.T, files map[string]string) (base string) {
	t.Helper()
	bin := binaries(t, "generator", "edgeserve")
	content, public := t.TempDir(), filepath.Join(t.TempDir(), "public")
	dir := filepath.Join(content, "site")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	buildSite(t, bin["generator"], content, public)
	return serve(t, bin["edgeserve"], public)
}

// post searches like a browser, without a preflight.
func post(t *testing.T, base, body string) (a clientAnswer) {
	t.Helper()
	r, err := http.Post(base+"/cda/es/v1/site", "text/plain;charset=UTF-8", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%d %v %s", r.StatusCode, err, b)
	}
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
