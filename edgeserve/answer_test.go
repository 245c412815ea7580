package edgeserve

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// A node sends what packages answer and respond make without one, from files, computed, and from the cache.
func TestNodeSendsAnswers(t *testing.T) {
	_, addr, dir := startSite(t, saved)
	d, err := releasedir.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content := answer.FromSnapshots(d.Manifest, d.Readers)
	node := respond.NewSite(d.Manifest.Build, release.Standard(), []string{release.AnyOrigin})
	for _, r := range append(restRequests, elasticRequests(t)...) {
		_, allow, ok := address.AllowOf(r.target)
		if !ok {
			continue
		}
		method, length := "GET", ""
		if address.Takes(allow, "POST") {
			method, length = "POST", fmt.Sprintf("Content-Length: %d\r\n", len(r.sent))
		}
		want := withoutServer(t, node, content, method, r.target, nil, r.sent)
		for range 3 { // computed or read, then cached
			raw := method + " " + r.target + " HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + r.sent
			if sent := wholeResponse(t, addr, raw); difference(t, want, method, sent) != "" {
				t.Errorf("%s %s: %s\n got %s\nwant %d\n%s%s", r.target, r.sent, difference(t, want, method, sent), sent, want.Status, want.Fields, want.Body)
			}
		}
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
