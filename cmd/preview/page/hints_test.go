package page

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/leftout"
	"contentedge/generator"
	"contentedge/generator/hints"
)

// fieldsOf is a Site with fields of one environment.
type fieldsOf struct {
	Site
	fields []generator.FieldInfo
	out    leftout.Rules
}

func (f fieldsOf) LeftOut(string) leftout.Rules { return f.out }

func (f fieldsOf) Fields(env string) []generator.FieldInfo {
	if env != "site" {
		return nil
	}
	return f.fields
}

func printed(found []hints.Hint) string {
	var b strings.Builder
	for _, h := range found {
		fmt.Fprintf(&b, "%s:%s ", h.Name, h.Meant)
	}
	return strings.TrimSpace(b.String())
}

func TestIgnoredParameters(t *testing.T) {
	for query, want := range map[string]string{
		"":                            "",
		"pageSize=1&page=2&sort=Name": "",
		"p%61geSize=1":                "",
		"pagesize=1":                  "pagesize:pageSize",
		"pagesize=1&pagesize=2":       "pagesize:pageSize",
		"pgeSize":                     "pgeSize:pageSize",
		"searchByTemplatename=x":      "searchByTemplatename:searchByTemplateName",
		"zzz=1&Sort=2&&=3":            "Sort:sort zzz:",
		"%zz=1":                       "",
		"%ff=1":                       "\uFFFD:",
		"pagesize%0a=1":               "pagesize\n:pageSize",
		strings.Repeat("x", 5000):     strings.Repeat("x", maxHintName) + "…:",
	} {
		if got := printed(IgnoredParameters(query)); got != want {
			t.Errorf("%.50s: %q, want %q", query, got, want)
		}
	}
	many := ""
	for i := range 200 {
		many += fmt.Sprintf("&name%d=1", i)
	}
	if n := len(IgnoredParameters(many)); n != 20 {
		t.Errorf("%d hints", n)
	}
}

func TestIgnoredSearchParameters(t *testing.T) {
	for query, want := range map[string]string{
		"NAME=a&Data.x=1&q=b&pageSIZE=2": "",
		"Statuses=Draft":                 "Statuses:Status",
		"Tmplate=x":                      "Tmplate:",
		"TemplateNam=x&utm_source=y":     "TemplateNam:TemplateName utm_source:",
	} {
		if got := printed(IgnoredSearchParameters(query)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	p := New(PageConfig{Site: fieldsOf{fields: []generator.FieldInfo{
		{Path: "Name", SubFields: []string{"keyword"}}, {Path: "Data.title", SubFields: []string{"keyword"}}, {Path: "Data.price", SubFields: []string{"long"}},
		{Path: "Data.venue.city", SubFields: []string{"keyword"}}, {Path: "Data.a.b.c"},
	}}})
	for body, want := range map[string]string{
		`{}`: "",
		`{"query":{"term":{"Data.title":"x"}},"sort":["_score","_doc","Name"]}`:                                       "",
		`{"query":{"term":{"Data.title.keyword":"x"}}}`:                                                               "",
		`{"query":{"term":{"_id":"x"}}}`:                                                                              "",
		`{"query":{"exists":{"field":"Data.venue"}}}`:                                                                 "",
		`{"query":{"exists":{"field":"Data.ven"}}}`:                                                                   "Data.ven:",
		`{"query":{"multi_match":{"query":"x","fields":["*"]}}}`:                                                      "",
		`{"query":{"multi_match":{"query":"x","fields":["Data.t*"]}}}`:                                                "",
		`{"query":{"multi_match":{"query":"x","fields":["Data.x*"]}}}`:                                                "Data.x*:",
		`{"query":{"query_string":{"query":"Data.titel:x OR title:y OR name:z"}}}`:                                    "Data.titel:Data.title name:Name title:Data.title",
		`{"query":{"range":{"data.price":{"gt":1}}}}`:                                                                 "data.price:Data.price",
		`{"query":{"term":{"Data.title.keywrd":"x"}}}`:                                                                "Data.title.keywrd:Data.title.keyword",
		`{"aggs":{"x":{"terms":{"field":"Data.nothing.like.it"}}}}`:                                                   "Data.nothing.like.it:",
		`{"aggs":{"x":{"composite":{"sources":[{"a":{"terms":{"field":"Data.titel"}}}]}}}}`:                           "Data.titel:Data.title",
		`{"aggs":{"x":{"weighted_avg":{"value":{"field":"Data.prize"},"weight":{"field":"Data.wait"}}}}}`:             "Data.prize:Data.price Data.wait:",
		`{"aggs":{"x":{"significant_terms":{"field":"Data.title","background_filter":{"term":{"Data.titel":"x"}}}}}}`: "Data.titel:Data.title",
		`{"suggest":{"x":{"text":"y","term":{"field":"Data.titel"}}}}`:                                                "Data.titel:Data.title",
		`{"suggest":{"x":{"text":"y","phrase":{"field":"Data.title","direct_generator":[{"field":"Data.titel"}]}}}}`:  "Data.titel:Data.title",
		`{"query":{"more_like_this":{"fields":["Data.title"],"like":[{"_id":"a","fields":["Data.titel"]}]}}}`:         "Data.titel:Data.title",
		`{"sort":"Data.pric"}`: "Data.pric:Data.price",
		`{"query":`:            "",
		`[]`:                   "",
	} {
		if got := printed(p.UnknownFields("site", []byte(body))); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := p.UnknownFields("other", []byte(`{"sort":"x"}`)); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestUnknownPaths(t *testing.T) {
	p := New(PageConfig{Site: fieldsOf{fields: []generator.FieldInfo{{Path: "Name", SubFields: []string{"keyword"}}, {Path: "Data.title", SubFields: []string{"keyword"}}, {Path: "Data.seo.text"}}}})
	for query, want := range map[string]string{
		"": "", "sort=Name&select=Nope,Name": "", "sort=Data.title&Data.title=x&select=Data.seo,Data.s*": "", "page=0&sort=Data.titel": "",
		"sort=Data.titel&select=Data.zzzzzz*": "Data.titel:Data.title Data.zzzzzz*:",
		"Data.tile=x&utm_source=y":            "Data.tile:Data.title",
	} {
		if got := printed(p.UnknownPaths("site", query)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := p.UnknownPaths("other", "sort=Data.x"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A path that searches do not see is no slip of the pen.
func TestFieldsLeftOut(t *testing.T) {
	p := New(PageConfig{Site: fieldsOf{out: leftout.Rules{Exclude: []string{"Data.body"}, Include: []string{"Data.body.title"}},
		fields: []generator.FieldInfo{{Path: "Data.body.title", SubFields: []string{"keyword"}}, {Path: "Data.bodies"}, {Path: "Name"}}}})
	for body, want := range map[string]string{
		`{"query":{"match":{"Data.body.content":"x"}},"sort":["Data.body.title.keyword"]}`: `[{Data.body.content  Data.body}]`,
		`{"query":{"match":{"Data.body.titel":"x"}}}`:                                      `[{Data.body.titel  Data.body}]`,
		`{"query":{"exists":{"field":"Data.body"}}}`:                                       `[]`,
		`{"query":{"match":{"Data.bodie":"x"}}}`:                                           `[{Data.bodie Data.bodies }]`,
		`{"query":{"multi_match":{"query":"x","fields":["Data.body.c*"]}}}`:                `[{Data.body.c*  Data.body}]`,
	} {
		if got := fmt.Sprint(p.UnknownFields("site", []byte(body))); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
