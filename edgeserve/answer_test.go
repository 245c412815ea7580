package edgeserve

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// A node sends what package answer returns without one: the same bodies, tags, links and problems, from
// files, computed, and from the cache.
func TestNodeSendsAnswers(t *testing.T) {
	_, addr, dir := startSite(t, saved)
	d, err := releasedir.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content := answer.FromSnapshots(d.Manifest, d.Readers)
	for _, r := range append(restRequests, elasticRequests(t)...) {
		path, _, _ := strings.Cut(r.target, "?")
		route, ok := address.ParsePath(path)
		if !ok || r.sent == "" && route.ForGET() != route {
			continue // without a body it is another resource
		}
		want, p, cause := content.Respond(r.target, []byte(r.sent))
		if cause != nil {
			t.Fatal(cause)
		}
		method := "GET"
		if route.Kind.TakesBody() {
			method = "POST"
		}
		for range 3 { // computed or read, then cached
			got, body := ask(t, addr, method, r.target, "", r.sent)
			if p != nil {
				compareProblem(t, r, p, got, body)
				continue
			}
			tag := string(respond.Tag(want.Body, want.File != ""))
			if got.StatusCode != 200 || body != string(want.Body) || got.Header.Get(httpfield.ETag) != tag || got.Header.Get(httpfield.Link) != string(want.Link) {
				t.Errorf("%s %s\n got %d %s\n%s\nwant %s %s\n%s", r.target, r.sent, got.StatusCode, got.Header, body, tag, want.Link, want.Body)
			}
		}
	}
}

func compareProblem(t *testing.T, r answerRequest, p *problem.Problem, got *http.Response, body string) {
	t.Helper()
	var lines httpfield.Lines
	fields := respond.NewFields(release.Standard(), []string{release.AnyOrigin})
	want := fields.SetProblem(&lines, &fasthttp.RequestHeader{}, release.ClassError, []byte(r.target), false, p, nil)
	if got.StatusCode != p.Status || body != string(want) {
		t.Errorf("%s %s\n got %d %s\nwant %d %s", r.target, r.sent, got.StatusCode, body, p.Status, want)
	}
}

type answerRequest struct{ target, sent string }

var restRequests = []answerRequest{
	{listRoot + "/Content_1", ""}, {listRoot + "/none", ""}, {"/cda/rest/v1/other/contents/Content_1", ""},
	{listRoot, ""}, {listRoot + "?page=2", ""}, {listRoot + "?page=9", ""}, {listRoot + "?page=0", ""}, {listRoot + "?searchByName=Ape&sort=Name", ""},
	{"/" + firstPage, ""}, {"/cda/rest/v1/demo/contents-list/sort-createdat-desc-2/page-2.json", ""},
	{savedRoot + "apes.json", ""}, {savedRoot + "pairs.2.json", ""}, {savedRoot + "pairs.99.json", ""},
	{esRoot, `{}`}, {esRoot, `{"query":{"match":{"Name":"ape"}},"highlight":{"fields":{"Name":{}}},"sort":["_score",{"CreatedAt":"asc"}]}`},
	{esRoot, `{"aggs":{"names":{"terms":{"field":"Name.keyword"}}},"_source":["Name"]}`}, {esRoot + "?Name=Bee&Sort=Name", `{"size":1}`},
	{esRoot, `{"query":{"nope":{}}}`}, {esRoot, `{`}, {esRoot + "?PageSize=x", `{}`}, {"/cda/es/v1/other", `{}`},
}

// elasticRequests are the requests of package elastic's own tests, sent to the environment of this package.
func elasticRequests(t *testing.T) (list []answerRequest) {
	text, err := os.ReadFile("engine/elastic/testdata/responses.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if target, sent, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); strings.HasPrefix(target, "/") {
			list = append(list, answerRequest{"/cda/es/v1" + strings.ReplaceAll(target, "/site", "/demo"), strings.ReplaceAll(sent, "⏎", "\n")})
		}
	}
	if len(list) < 100 {
		t.Fatalf("%d requests", len(list))
	}
	return list
}
