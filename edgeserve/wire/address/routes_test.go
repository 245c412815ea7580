// This file tests the table of routes: each row is parsed to its kind, and no other path is.

package address

import (
	"slices"
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	names := strings.NewReplacer("/media/:env/*", "/media/demo/"+strings.Repeat("0a", 16)+"/a.png", ":envs", "demo,other", ":env", "demo", ":id", "Content_1", ":page", "apes.2.json", "*", "sort-name-asc-20/page-2.json")
	for _, e := range Endpoints() {
		t.Run(e.Pattern, func(t *testing.T) {
			path := names.Replace(e.Pattern)
			if kind, allow, ok := AllowOf(path); !ok || kind != e.Kind || allow != e.Allow {
				t.Errorf("%s is of kind %d and allows %s, %t", path, kind, allow, ok)
			}
			if r, ok := ParsePath(path); ok != (e.Group != Probes) || ok && r.Kind != e.Kind {
				t.Errorf("%s is %+v, %t", path, r, ok)
			}
			if e.Kind.TakesBody() != strings.Contains(e.Allow, "POST") || e.Kind.Group() != e.Group {
				t.Errorf("rows of kind %d differ", e.Kind)
			}
		})
	}
	for kind := Contents; kind < kinds; kind++ {
		if kind.Allow() == "" {
			t.Errorf("kind %d has no row", kind)
		}
	}
}

func TestPath(t *testing.T) {
	for want, got := range map[string]string{
		"/cda/rest/v1/demo/contents":          Contents.Path("demo"),
		"/cda/rest/v1/demo/contents/a":        Item.Path("demo", "a"),
		"/cda/rest/v1/demo/contents-list/x/y": ListFile.Path("demo", "x/y"),
		"/cda/es/v1/demo":                     Search.Path("demo"),
		"/cda/es/v1/:/_source/b":              ElasticSource.Path(":", "b"),
		"/livez":                              Live.Path(),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestElasticName(t *testing.T) {
	for kind, want := range map[Kind]string{
		ElasticSearch: "_search", ElasticMultiSearch: "_msearch", ElasticValidate: "_validate/query", ElasticDoc: "_doc", ElasticSource: "_source", ElasticExplain: "_explain",
		ElasticMultiGet: "_mget", ElasticInfo: "", ElasticIndex: "", Item: "", Live: "",
	} {
		if got := kind.ElasticName(); got != want {
			t.Errorf("kind %d is %q, want %q", kind, got, want)
		}
	}
}

// The names of fields and filters are in one order, which parameters and files share.
func TestFilters(t *testing.T) {
	l := List{Name: ParamName, Template: ParamTemplate, Status: ParamStatus, CreatedBy: ParamCreatedBy}
	for i, filter := range Filters {
		if got, want := l.Filter(filter), ParameterNames()[i]; got != want || !slices.Contains(ScalarFields(), FilterFields[i]) {
			t.Errorf("filter %s has the parameter %s, not %s, and the field %s", filter, got, want, FilterFields[i])
		}
	}
}
