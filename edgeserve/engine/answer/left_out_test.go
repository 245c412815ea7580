// These tests compare an environment that leaves paths out of its index with one whose items have no such paths.

package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/release"
)

var titles = []string{"red coat", "blue coat", "paragraph of a shoe"}

// text is the member of an item's Data that is left out.
func text(i int) string {
	return fmt.Sprintf(`"body":{"title":"the %s","content":{"nodeType":"paragraph","text":["red words",%d,true]},"when":"2024-0%d-01"},`, titles[i], i, i+1)
}

// rich are items with a rich text, in the default order; without it if plain.
func rich(plain bool) (items []string) {
	for i, title := range titles {
		body := text(i)
		if plain {
			body = ""
		}
		items = append(items, fmt.Sprintf(`{"ContentID":"%c","CreatedAt":"2021-01-0%dT00:00:00.000Z","Name":"item","TemplateName":"coat","Data":{%s"title":%q}}`, 'A'+i, 9-i, body, title))
	}
	return items
}

func richSite(t *testing.T, plain bool, exclude, include string) *answer.Release {
	t.Helper()
	out, err := leftout.New(strings.Fields(exclude), strings.Fields(include), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer.FromSnapshots(&release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: "shop"}}},
		map[string]*snapshot.Reader{"shop": searchtest.Leaving(t, "shop", rich(plain), out)})
}

// get returns the body of a response, or the problem.
func get(t *testing.T, v *answer.Release, target, body string) string {
	t.Helper()
	response, p, err := v.Respond(target, []byte(body))
	switch {
	case err != nil:
		t.Fatal(target, err)
	case p != nil:
		return "!" + p.Message
	}
	return string(response.Body)
}

// bodiesWithout name paths that are left out, or words of their values.
var bodiesWithout = []string{
	`{"query":{"query_string":{"query":"paragraph"}}}`,
	`{"query":{"query_string":{"query":"red"}},"highlight":{"fields":{"*":{}}}}`,
	`{"query":{"match":{"Data.body.content.text":"red"}}}`,
	`{"query":{"match":{"Data.body.title":"coat"}},"highlight":{"fields":{"Data.body.title":{}}}}`,
	`{"query":{"term":{"Data.body.content.text.keyword":"red words"}}}`,
	`{"query":{"multi_match":{"query":"red","fields":["Data.*","Data.body.title^3"]}}}`,
	`{"query":{"exists":{"field":"Data.body"}}}`,
	`{"query":{"exists":{"field":"Data.body.content"}}}`,
	`{"query":{"bool":{"must_not":{"exists":{"field":"Data.body.content.nodeType"}}}}}`,
	`{"query":{"range":{"Data.body.when":{"gte":"2024-02"}}}}`,
	`{"query":{"more_like_this":{"like":[{"_id":"A"}],"min_term_freq":1,"min_doc_freq":1}}}`,
	`{"query":{"more_like_this":{"fields":["Data.body.title"],"like":"the red coat","min_term_freq":1,"min_doc_freq":1}}}`,
	`{"aggs":{"a":{"terms":{"field":"Data.body.title.keyword"}},"b":{"max":{"field":"Data.body.when"}},"c":{"missing":{"field":"Data.body.title"}},"d":{"date_histogram":{"field":"Data.body.when","calendar_interval":"month"}}}}`,
	`{"query":{"match_all":{}},"fields":["Data.*"],"docvalue_fields":["Data.*.keyword"]}`,
	`{"sort":[{"Data.body.title.keyword":{"unmapped_type":"keyword"}},"Name.keyword"]}`,
	`{"collapse":{"field":"Data.body.title.keyword"}}`,
	`{"suggest":{"text":"paragraf","s":{"term":{"field":"Data.body.content.nodeType"}}}}`,
}

// A path that is left out is one that no item has: in queries, aggregations, hits, suggestions and lists.
func TestPathsLeftOutAreAbsent(t *testing.T) {
	full, plain := richSite(t, false, "Data.body", ""), richSite(t, true, "", "")
	const es = "/cda/es/v1/shop"
	for _, body := range bodiesWithout {
		for _, target := range []string{es, es + "/_search", es + "/_count"} {
			if got, want := without(get(t, full, target, body)), get(t, plain, target, body); got != want {
				t.Errorf("%s %s\n got %s\nwant %s", target, body, got, want)
			}
		}
	}
	for _, target := range []string{es + "?Data.body.title=red%20coat", es + "?Data=paragraph", es + "?Data=nodeType", es + "/_field_caps?fields=*", es + "/_field_caps?fields=Data.body*", es + "/_count?q=nodeType:paragraph"} {
		if got, want := without(get(t, full, target, "")), get(t, plain, target, ""); got != want {
			t.Errorf("%s\n got %s\nwant %s", target, got, want)
		}
	}
}

// without takes the texts of the items out of a response.
func without(response string) string {
	for i := range titles {
		response = strings.ReplaceAll(response, text(i), "")
	}
	return response
}

// Items keep the paths: as items, in lists, in hits, and where a terms query reads them.
func TestItemsKeepPathsLeftOut(t *testing.T) {
	v := richSite(t, false, "Data.body", "")
	for target, body := range map[string]string{
		"/cda/rest/v1/shop/contents/A": "", "/cda/rest/v1/shop/contents": "", "/cda/es/v1/shop": `{"query":{"match":{"Data.title":"red"}}}`,
		"/cda/es/v1/shop/_search": `{"_source":["Data.body.content"]}`, "/cda/es/v1/shop/_doc/A": "",
	} {
		if got := get(t, v, target, body); !strings.Contains(got, `"content":{"nodeType":"paragraph","text":["red words",0,true]}`) {
			t.Errorf("%s %s: %s", target, body, got)
		}
	}
	lookup := `{"query":{"terms":{"Data.title.keyword":{"index":"shop","id":"A","path":"Data.title"}}}}`
	if got := get(t, v, "/cda/es/v1/shop", lookup); strings.Count(got, "ContentID") != 1 {
		t.Error(got)
	}
}

// A list in the order of such a path would be in no order: it is refused, as Elasticsearch refuses a sort by a field
// without a mapping.
func TestSortsByPathsLeftOut(t *testing.T) {
	v := richSite(t, false, "Data.body", "Data.body.title")
	const refused = `"Data.body.when" cannot order items: this environment leaves Data.body out of its index`
	for target, body := range map[string]string{
		"/cda/rest/v1/shop/contents?sort=Data.body.when":   "",
		"/cda/es/v1/shop?Sort=Data.body.when":              "",
		"/cda/es/v1/shop/_search?sort=Data.body.when:desc": "",
		"/cda/es/v1/shop":            `{"sort":[{"Data.body.when":"asc"}]}`,
		"/cda/es/v1/shop?PageSize=1": `{"aggs":{"a":{"top_hits":{"sort":["Data.body.when"]}}}}`,
		"/cda/rest/v1/shop/contents?sort=Data.body.when&sortAsc=true": "",
		"/cda/es/v1/shop/_search?size=1":                              `{"sort":["Name.keyword","Data.body.when"]}`,
	} {
		if got := get(t, v, target, body); !strings.HasPrefix(got, "!") || !strings.Contains(got, refused) {
			t.Errorf("%s %s: %s", target, body, got)
		}
	}
	for target, body := range map[string]string{
		"/cda/rest/v1/shop/contents?sort=Data.body.title": "",
		"/cda/es/v1/shop": `{"sort":[{"Data.body.when":{"unmapped_type":"date"}}]}`,
	} {
		if got := get(t, v, target, body); strings.HasPrefix(got, "!") {
			t.Errorf("%s %s: %s", target, body, got)
		}
	}
}

// A mapping shows them as Elasticsearch shows an object that is not enabled.
func TestMappingShowsPathsLeftOut(t *testing.T) {
	for rules, want := range map[[2]string]string{
		{"Data.body", ""}:                    `"body":{"type":"object","enabled":false},"title":{"type":"text"`,
		{"Data.body", "Data.body.title"}:     `"body":{"properties":{"title":{"type":"text","fields":{"keyword":{"type":"keyword"}}}}},"title":`,
		{"Data.body.content Data.other", ""}: `"content":{"type":"object","enabled":false},"title"`,
		{"Data.other", ""}:                   `"other":{"type":"object","enabled":false}`,
		{"Data", ""}:                         `"Data":{"type":"object","enabled":false}`,
	} {
		if got := get(t, richSite(t, false, rules[0], rules[1]), "/cda/es/v1/shop/_mapping", ""); !strings.Contains(got, want) {
			t.Errorf("%q: %s is not in %s", rules, want, got)
		}
	}
}
