// This file tests that each resource has exactly one path.

package address

import (
	"slices"
	"strings"
	"testing"
)

var pathTests = []struct {
	name, path string
	want       Route
}{
	{"lists", "/cda/rest/v1/demo/contents", Route{Kind: Contents, Env: "demo"}},
	{"item", "/cda/rest/v1/demo/contents/Content_1", Route{Kind: Item, Env: "demo", ID: "Content_1"}},
	{"item's file", "/cda/rest/v1/demo/contents/Content_1.json", Route{Kind: Item, Env: "demo", ID: "Content_1", ByFile: true}},
	{"search", "/cda/es/v1/demo", Route{Kind: Search, Env: "demo"}},
	{"Elasticsearch's search", "/cda/es/v1/demo/_search", Route{Kind: ElasticSearch, Env: "demo"}},
	{"Elasticsearch's search of several", "/cda/es/v1/demo,other/_search", Route{Kind: ElasticSearch, Env: "demo,other"}},
	{"Elasticsearch's validation", "/cda/es/v1/demo/_validate/query", Route{Kind: ElasticValidate, Env: "demo"}},
	{"Elasticsearch's document", "/cda/es/v1/demo/_doc/Content_1", Route{Kind: ElasticDoc, Env: "demo", ID: "Content_1"}},
	{"Elasticsearch's source", "/cda/es/v1/demo/_source/Content_1", Route{Kind: ElasticSource, Env: "demo", ID: "Content_1"}},
	{"Elasticsearch's explanation", "/cda/es/v1/demo/_explain/Content_1", Route{Kind: ElasticExplain, Env: "demo", ID: "Content_1"}},
	{"Elasticsearch's source of a document", "/cda/es/v1/demo/_doc/Content_1/_source", Route{Kind: ElasticSource, Env: "demo", ID: "Content_1"}},
	{"list's file", "/cda/rest/v1/demo/contents-list/name-am/sort-name-asc-20/page-2.json",
		Route{Kind: ListFile, Env: "demo", List: List{Name: "am", Sort: "Name", Asc: true, Page: 2, Size: 20}}},
}

func TestParsePath(t *testing.T) {
	for _, test := range pathTests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := ParsePath(test.path); !ok || got != test.want {
				t.Errorf("got %+v, %t; want %+v", got, ok, test.want)
			}
			checkSpellings(t, test.path)
		})
	}
}

// checkSpellings checks that other spellings are other paths.
func checkSpellings(t *testing.T, path string) {
	t.Helper()
	last := len(path) - 1
	for _, other := range []string{
		path + "/", "/" + path, path[1:], strings.ToUpper(path), "/." + path, "/x/.." + path, path + "%00", path + "?", path + "#", path + ";v=1", path + " ",
		path[:last] + "%" + string("0123456789ABCDEF"[path[last]>>4]) + string("0123456789ABCDEF"[path[last]&15]),
		strings.Replace(path, "/v1/", "/v2/", 1), strings.Replace(path, "/v1/", "//v1/", 1), strings.Replace(path, "/demo", "/..", 1), strings.Replace(path, "/demo", "/", 1),
		strings.Replace(path, "/demo", "/demo%2f", 1), strings.Replace(path, "/demo", "/_demo", 1), strings.Replace(path, "/demo", "/"+strings.Repeat("a", 65), 1),
		path + ".gz", path + ".json.json",
	} {
		if r, ok := ParsePath(other); (ok || r != (Route{})) && r.Kind != ElasticInfo {
			t.Errorf("%q is %+v, %t", other, r, ok)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	for _, path := range []string{
		"", "/", "*", "/cda", "/cda/rest/v1/", "/cda/rest/v1/demo", "/cda/rest/v1/demo/", "/cda/rest/v1/demo/contents/", "/cda/rest/v1/demo/contents.json",
		"/cda/rest/v1/demo/contents/.json", "/cda/rest/v1/demo/contents/a.b", "/cda/rest/v1/demo/contents/..", "/cda/rest/v1/demo/contents/a/b",
		"/cda/rest/v1/demo/contents%2Fa", "/cda/rest/v1/demo/contents/a\\b", "/cda/rest/v1/demo/contents/é", "/cda/rest/v1/demo/contents/" + strings.Repeat("a", 129),
		"/cda/rest/v1/demo/contents-list", "/cda/rest/v1/demo/contents-list/", "/cda/es/v1//", "/cda/es/v1/demo/x", "/cda/es/v1/_search", "/cda/es/v1/demo/_bulk", "/cda/es/v1/demo/_search/", "/cda/es/v1/demo/_doc", "/cda/es/v1/demo/_doc/", "/cda/es/v1/_doc/a", "/cda/es/v1/a,/_search", "/cda/es/v1/a,b*/_search", "/cda/es/v1/a,b", "/cda/es/v1/a,b/_doc/c", "/cda/es/v1/*/_search",
		"/cda/es/v1/_msearch/", "/cda/es/v1x", "/cda/es", "/manifest.json", "http://host/cda/es/v1/demo",
	} {
		if r, ok := ParsePath(path); ok || r != (Route{}) {
			t.Errorf("%q is %+v", path, r)
		}
	}
}

// The paths of the node, and of requests that name indices in their body, have no environment.
func TestParseElasticNode(t *testing.T) {
	for path, want := range map[string]Kind{"/cda/es/v1": ElasticInfo, "/cda/es/v1/": ElasticInfo, "/cda/es/v1/_msearch": ElasticMultiSearch, "/cda/es/v1/_mget": ElasticMultiGet} {
		if r, ok := ParsePath(path); !ok || r != (Route{Kind: want}) {
			t.Errorf("%q is %+v, %t", path, r, ok)
		}
	}
}

func TestLikeElastic(t *testing.T) {
	for path, want := range map[string]bool{
		"/cda/es/v1": true, "/cda/es/v1/": true, "/cda/es/v1/_cat": true, "/cda/es/v1/demo/_search": true, "/cda/es/v1/demo/_bulk": true, "/cda/es/v1/demo/_doc/a/b": true,
		"/cda/es/v1/demo": false, "/cda/es/v1/demo/": false, "/cda/es/v1/demo/x": false, "/cda/es/v1x/_search": false, "/cda/es": false, "/cda/rest/v1/demo/_search": false, "": false,
	} {
		if got := LikeElastic(path); got != want {
			t.Errorf("%q: %t", path, got)
		}
	}
}

func TestParsePathAllocations(t *testing.T) {
	for path, most := range map[string]float64{
		"/cda/rest/v1/demo/contents": 0, "/cda/rest/v1/demo/contents/Content_1": 0, "/cda/es/v1/demo": 0, "/cda/es/v1/demo/_search": 0,
		"/cda/rest/v1/demo/contents-list/sort-name-asc-20/page-2.json": 0, "/cda/rest/v1/demo/contents-list/name-am/sort-name-asc-20/page-2.json": 1,
	} {
		if n := testing.AllocsPerRun(100, func() { ParsePath(path) }); n > most {
			t.Errorf("%s: %v allocations, at most %v wanted", path, n, most)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, test := range pathTests {
		f.Add(test.path)
	}
	f.Add("/cda/rest/v1/demo/contents/..%2f..%2fmanifest")
	f.Add("/cda/rest/v1/demo/contents-list/name-.2e2e_/sort-name-asc-20/page-2.json")
	f.Fuzz(func(t *testing.T, path string) {
		r, ok := ParsePath(path)
		if !ok {
			return
		}
		if r.Kind.IsElastic() {
			invalid := slices.ContainsFunc(r.Indices(), func(env string) bool { return !ValidEnv(env) })
			if !LikeElastic(path) || r.Env != "" && invalid || r.ID != "" && !ValidID(r.ID) {
				t.Fatalf("%q is %+v", path, r)
			}
			return
		}
		if got := spell(r); path != got && path != got+".json" {
			t.Fatalf("%q is %+v, which is spelled %q", path, r, got)
		}
		if !ValidEnv(r.Env) || r.Kind == Item && !ValidID(r.ID) || strings.Contains(path, "..") {
			t.Fatalf("%q is %+v", path, r)
		}
	})
}

// spell is the path of a route.
func spell(r Route) string {
	switch r.Kind {
	case Search:
		return "/cda/es/v1/" + r.Env
	case Contents:
		return "/cda/rest/v1/" + r.Env + "/contents"
	case Item:
		return "/cda/rest/v1/" + r.Env + "/contents/" + r.ID
	}
	file, _ := r.List.File(r.Env)
	return "/" + file
}

func BenchmarkParsePath(b *testing.B) {
	for _, test := range pathTests {
		b.Run(strings.ReplaceAll(test.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParsePath(test.path)
			}
		})
	}
}

// The path of searches (POST) is also the path of an index (GET), unless the query has a parameter of searches.
func TestForGET(t *testing.T) {
	const index = "/cda/es/v1/demo"
	for target, want := range map[string]Kind{
		index: ElasticIndex, index + "/_count": ElasticCount, "/cda/rest/v1/demo/contents": Contents, index + "/_count?q=a": ElasticCount,
		index + "?pretty&local=true&include_type_name=false": ElasticIndex, index + "?filter_path=a&&=": ElasticIndex, index + "?%zz=1&q%ff=1&Data.": ElasticIndex, index + "?qq=1": ElasticIndex,
		index + "?q=": Search, index + "?pretty&Q=bread": Search, index + "?%71=a": Search, index + "?size": Search, index + "?data.a=1": Search, index + "?templatename=a": Search,
	} {
		path, query, _ := strings.Cut(target, "?")
		if r, _ := ParsePath(path); r.ForGET(query).Kind != want || r.ForGET(query).Env != "demo" {
			t.Errorf("%s: %+v", target, r.ForGET(query))
		}
	}
}
