// These tests hold what a server answers against the document of OpenAPI that the generator writes.

package cmd

import (
	"html"
	"io"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/openapi/openapitest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

// describe returns the document of a release.
func describe(t *testing.T, generator, public string) *openapitest.Document {
	t.Helper()
	text, err := exec.Command(generator, "openapi", "--public", public).Output()
	if err != nil {
		t.Fatal(err)
	}
	d, err := openapitest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hidden is content whose names are in no text of the interface.
var hidden = map[string]string{
	"zqenv/a.json":   `{"ContentID":"zqa","Name":"zqname","TemplateName":"ZqTemplate","CreatedAt":"2024-01-01T00:00:00Z","Data":{"zqfield":{"zqinner":["zqvalue"]},"zqlink":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["zqb"]}}}`,
	"zqenv/b.json":   `{"ContentID":"zqb","Name":"<b>&\"zq","TemplateName":"Zq 'ü' <Template>","CreatedAt":"2024-01-02T00:00:00Z","Data":{"zq <field>":1}}`,
	"zqother/c.json": `{"ContentID":"zqc","Name":"zqname","TemplateName":"ZqTemplate","CreatedAt":"2024-01-01T00:00:00Z"}`,
}

// TestNodeDescribesItself compares the document of a node with that of the generator where environments may be listed.
// Elsewhere it has none of the content's names.
func TestNodeDescribesItself(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	dir := t.TempDir()
	for name, text := range hidden {
		if err := os.MkdirAll(filepath.Join(dir, "content", filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, dir, filepath.Join("content", name), text)
	}
	public := filepath.Join(dir, "public")
	buildSite(t, bin["generator"], filepath.Join(dir, "content"), public)
	for _, engine := range []string{"auto", "off"} {
		listing := serve(t, bin["edgeserve"], public, "--fast-path", engine, "--list-environments")
		for query, flags := range map[string][]string{"": nil, "?env=zqenv": {"--env", "zqenv"}, "?env=zqother": {"--env", "zqother"}} {
			want, err := exec.Command(bin["generator"], append([]string{"openapi", "--public", public}, flags...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := get(t, listing+address.Description.Path()+query); got != string(want) || !strings.Contains(got, "zqother.ZqTemplate") && query != "?env=zqenv" {
				t.Errorf("--fast-path %s, %q: the node's document is not the generator's", engine, query)
			}
		}
		checkExamples(t, listing)
		silent := serve(t, bin["edgeserve"], public, "--fast-path", engine)
		for _, query := range []string{"", "?env=zqenv", "?env=nope"} {
			got := get(t, silent+address.Description.Path()+query)
			if strings.Contains(strings.ToLower(got), "zq") {
				t.Errorf("--fast-path %s, %q: the document has a name of the content", engine, query)
			}
			d, err := openapitest.Parse([]byte(got))
			if err != nil {
				t.Fatal(err)
			}
			if o, _ := d.Operation("GET", address.Contents.Path("any")); o == nil {
				t.Error("the document lacks the lists")
			}
		}
	}
}

var exampleLinks = regexp.MustCompile(`<li>A (list|search): <a href="([^"]+)">`)

// checkExamples expects that each list and each search of the page at / finds an item.
func checkExamples(t *testing.T, base string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, base, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(httpfield.Accept, "text/html")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	links := exampleLinks.FindAllSubmatch(page, -1)
	if err != nil || len(links) != 4 {
		t.Fatalf("%d links, %v: %s", len(links), err, page)
	}
	for _, link := range links {
		if text := get(t, base+html.UnescapeString(string(link[2]))); !strings.Contains(text, `"ContentID"`) {
			t.Errorf("%s finds no item: %s", link[2], text)
		}
	}
}

// ofConnection are fields that belong to a message, not to the interface.
var ofConnection = []string{"Date", "Content-Type", "Content-Length", "Connection", "Transfer-Encoding"}

// checkExchange returns what of a response the document does not have.
func checkExchange(d *openapitest.Document, r *http.Response, target, body string, response []byte) []string {
	e := openapitest.Exchange{Method: r.Request.Method, Target: target, Body: []byte(body), Status: r.StatusCode, Response: response}
	for name := range r.Header {
		if !slices.Contains(ofConnection, name) {
			e.Fields = append(e.Fields, name)
		}
	}
	e.ContentType, _, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	return d.Check(e)
}

// TestOpenAPIDescribesResponses sends requests of every kind of address, good and bad, to both engines.
func TestOpenAPIDescribesResponses(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	d := describe(t, bin["generator"], public)
	const id = "Content_469e7b14-a9e8-5041-bf36-ed6cd3d23752"
	es := address.ElasticNode + "/site"
	requests := []struct{ target, body string }{
		{"/", ""}, {address.Description.Path(), ""}, {address.Description.Path() + "?env=site", ""}, {"/livez", ""}, {"/readyz", ""},
		{address.Contents.Path("site"), ""}, {address.Contents.Path("site") + "?pageSize=2&page=2&sort=Data.title&sortAsc=TRUE", ""},
		{address.Contents.Path("site") + "?page=0", ""}, {address.Contents.Path("nope"), ""}, {address.Contents.Path("site") + "?pageSize=10000", ""},
		{address.Contents.Path("events"), ""},
		{address.Item.Path("site", id), ""}, {address.Item.Path("site", "nope"), ""},
		{address.UsedIn.Path("site", id), ""}, {address.UsedIn.Path("site", "nope"), ""},
		{address.SavedSearch.Path("site", "nope.json"), ""},
		{address.Search.Path("site"), `{"aggs":{"a":{"terms":{"field":"TemplateName.keyword"}}},"highlight":{"fields":{"Data.title":{}}},"query":{"match":{"Data.title":"bread"}}}`},
		{address.Search.Path("site"), `{"quer":1}`}, {address.Search.Path("nope"), `{}`}, {address.Search.Path("site") + "?Data.slug=x&SIZE=1", `{}`},
		{address.ElasticNode, ""}, {address.ElasticNode + "/", ""}, {es, ""}, {es + "/_search?q=bread&size=1", ""}, {es + "/_search?rest_total_hits_as_int=true", ""},
		{es + "/_search?nope=1", ""}, {es + "/_search", `{"query":{"range":{"CreatedAt":{"gte":"x"}}}}`}, {es + "/_count", ""},
		{es + "/_doc/" + id, ""}, {es + "/_doc/nope", ""}, {es + "/_doc/" + id + "?version=2", ""}, {es + "/_source/" + id, ""}, {es + "/_source/nope", ""}, {es + "/_doc/" + id + "/_source", ""},
		{es + "/_explain/" + id, `{"query":{"match_all":{}}}`}, {es + "/_explain/nope?q=a", ""},
		{es + "/_mget", `{"ids":["` + id + `","nope"]}`}, {address.ElasticNode + "/_mget", `{"docs":[{"_index":"nope","_id":"a"}]}`}, {es + "/_mget", `{}`},
		{es + "/_mapping", ""}, {es + "/_field_caps?fields=*", ""}, {es + "/_field_caps", ""}, {es + "/_validate/query?q=a&explain=true", ""}, {es + "/_analyze?text=a", ""},
		{address.ElasticNode + "/nope/_search", ""},
	}
	for _, engine := range []string{"auto", "off"} {
		base := serve(t, bin["edgeserve"], public, "--fast-path", engine)
		asked := map[address.Kind]bool{}
		for _, r := range requests {
			for _, conditions := range []http.Header{{}, {httpfield.Range: {"bytes=0-9"}}, {httpfield.Range: {"bytes=99999999-"}}, {httpfield.IfNoneMatch: {"*"}}, {httpfield.IfMatch: {`"x"`}}, {httpfield.Release: {"x"}}} {
				method := http.MethodGet
				if r.body != "" {
					method = http.MethodPost
				}
				request, err := http.NewRequest(method, base+r.target, strings.NewReader(r.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header = conditions
				request.Header.Set(httpfield.AcceptEncoding, "identity")
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if response.StatusCode == http.StatusPartialContent {
					got = nil // a part of a JSON text
				}
				for _, fault := range checkExchange(d, response, r.target, r.body, got) {
					t.Errorf("--fast-path %s: %s %s %s %v: %d: %s", engine, method, r.target, r.body, conditions, response.StatusCode, fault)
				}
				kind, _, _ := address.AllowOf(r.target)
				asked[kind] = true
			}
		}
		for _, e := range address.Endpoints() {
			if !asked[e.Kind] && e.Kind != address.ListFile && e.Kind != address.Media && e.Kind != address.ElasticMultiSearch {
				t.Errorf("no request asks for %s", e.Pattern)
			}
		}
	}
}
