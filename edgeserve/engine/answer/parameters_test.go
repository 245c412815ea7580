// These tests send lists and items with filters by paths of Data and with select.

package answer_test

import (
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

var fieldItems = []string{
	`{"ContentID":"A","CreatedAt":"2021-01-09T00:00:00.000Z","Name":"one","TemplateName":"coat","Data":{"slug":"hello-world","price":5,"tags":["red","blue"],"on":true,"day":"2024-05-01","a b":"x","seo":{"title":"t","text":"u"}}}`,
	`{"ContentID":"B","CreatedAt":"2021-01-08T00:00:00.000Z","Name":"two","TemplateName":"coat","Data":{"slug":"Hello-World","price":5.0,"tags":["blue","red blue"],"on":false,"day":"2024-05-01T00:00:00Z","a&b=c":"x&y=z"}}`,
	`{"ContentID":"C","CreatedAt":"2021-01-07T00:00:00.000Z","Name":"three","TemplateName":"shoe","Data":{"slug":"hello","price":-1e3,"tags":[],"on":true,"day":"2024-05-02","naïve":"é"}}`,
}

func fieldSite(t *testing.T) *answer.Release {
	return answer.FromSnapshots(&release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: "shop"}}},
		map[string]*snapshot.Reader{"shop": searchtest.Named(t, "shop", fieldItems)})
}

const lists = "/cda/rest/v1/shop/contents"

// ids returns the ids of a response, or the problem.
func ids(t *testing.T, v *answer.Release, target string) string {
	t.Helper()
	text, found := get(t, v, target, ""), ""
	if strings.HasPrefix(text, "!") {
		return text
	}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, `"ContentID":"`)
		if !ok {
			return found
		}
		found, rest = found+after[:1], after
	}
}

func TestListsByPath(t *testing.T) {
	v := fieldSite(t)
	for query, want := range map[string]string{
		"Data.slug=hello-world": "A", "Data.slug=Hello-World": "B", "Data.slug=hello": "C", "Data.slug=hello-worl": "", "Data.slug=hello%2Dworld": "A", "%44ata.slug=hello": "C",
		"Data.price=5": "AB", "Data.price=5.0": "AB", "Data.price=-1000": "C", "Data.price=x": "",
		"Data.on=true": "AC", "Data.on=false": "B", "Data.on=TRUE": "",
		"Data.day=2024-05-02": "C", "Data.day=2024-05-01T02:00:00%2B02:00": "AB",
		"Data.tags=red": "A", "Data.tags=blue": "AB", "Data.tags=red+blue": "B", "Data.tags=blue&Data.on=true": "A", "Data.tags=blue&Data.price=5&searchByName=two": "B",
		"Data.a+b=x": "A", "Data.a%20b=x": "A", "Data.a%26b%3Dc=x%26y%3Dz": "B", "Data.na%C3%AFve=%C3%A9": "C", "Data.seo.title=t": "A", "Data.seo=t": "",
		"Data.nope=x": "", "Data.slug=": "ABC", "Data.slug&Data.price=5": "AB", "utm_source=hello": "ABC",
		"data.slug=hello": "!no list has this parameter: write Data.<path>", "Data=x": "!no list has this parameter: write Data.<path>", "Name=one": "!no list has this parameter: write searchByName",
		"Data.on=true&sort=Name&sortAsc=true": "AC", "Data.on=true&pageSize=1&page=2": "C", "Data.on=true&page=9": "",
		"Data.slug=a&Data.slug=a":                 "!Data.slug is given twice; give it once. For items with one of several values use a terms query in the body of a search",
		"Data.=a":                                 "!write a path of the items after Data., such as Data.title",
		"Data.x=%zz":                              "!the value of Data.x must be UTF-8 text, with % only before two hexadecimal digits",
		"Data.%zz=a":                              "!the name of a parameter must be UTF-8 text, with % only before two hexadecimal digits",
		"Data.x=" + strings.Repeat("a", 1025):     "!the value of Data.x may have at most 1024 bytes; compare with a longer one by a query in the body of a search",
		"Data.x=" + strings.Repeat("%C3%A9", 200): "!the parameters of an address with select or paths of Data may have about 1024 bytes together, once encoded; use a search with a body",
	} {
		if got := ids(t, v, lists+"?"+query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	v := fieldSite(t)
	for target, want := range map[string]string{
		"/A?select=Name,Data.slug":           `{"status":200,"data":{"Name":"one","Data":{"slug":"hello-world"}}}`,
		"/A?select=Data.slug%2C+Name,,Name":  `{"status":200,"data":{"Name":"one","Data":{"slug":"hello-world"}}}`,
		"/A?select=Data.seo&utm=1":           `{"status":200,"data":{"Data":{"seo":{"title":"t","text":"u"}}}}`,
		"/A?select=*.t*t*e,*ID":              `{"status":200,"data":{"ContentID":"A","Data":{"seo":{"title":"t"}}}}`,
		"/A?select=Data.nope":                `{"status":200,"data":{}}`,
		"/A?%73elect=Name":                   `{"status":200,"data":{"Name":"one"}}`,
		"/A.json?select=Name":                `{"status":200,"data":` + fieldItems[0] + `}`,
		"/A?select=":                         `{"status":200,"data":` + fieldItems[0] + `}`,
		"/A?Data.slug=x&page=0":              `{"status":200,"data":` + fieldItems[0] + `}`,
		"/A?select=Name&select=Name":         "!select is given twice; give it once",
		"/A?select=%ff":                      "!the value of select must be UTF-8 text, with % only before two hexadecimal digits",
		"/nope?select=Name":                  "!no content item of this environment has that id",
		"?select=Name&Data.on=true":          `{"status":200,"data":[{"Name":"one"},{"Name":"three"}],"totalItems":2}`,
		"?select=Data.naïve&pageSize=2":      "!",
		"?select=Data.na%C3%AFve&pageSize=2": `{"status":200,"data":[{},{}],"totalItems":3}`,
	} {
		got := get(t, v, lists+target, "")
		if want == "!" { // raw bytes are text, too
			want = `{"status":200,"data":[{},{}],"totalItems":3}`
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", target, got, want)
		}
	}
}

// Equal requests have one key, and the link to themselves names their parameters.
func TestParametersInKeysAndLinks(t *testing.T) {
	v := fieldSite(t)
	for _, c := range [][]string{
		{`<?select=Data.slug%2CName>; rel="self"`, "/A?select=Name,Data.slug", "/A?select=Data.slug,Name,Name&utm=2", "/A?sel%65ct=Data.slug,%20Name"},
		{"", "/A", "/A?utm=1", "/A.json?select=Name", "/A?select=,"},
		{`<?Data.on=true&Data.price=5&page=1&pageSize=2&sort=CreatedAt&sortAsc=false>; rel="self", <?Data.on=true&Data.price=5&page=1&pageSize=2&sort=CreatedAt&sortAsc=false>; rel="first", <?Data.on=true&Data.price=5&page=1&pageSize=2&sort=CreatedAt&sortAsc=false>; rel="last"`,
			"?Data.on=true&Data.price=5&pageSize=2", "?pageSize=2&Data.price=5&Data.slug=&Data.%6Fn=%74rue"},
		{`<?page=1&pageSize=9&sort=CreatedAt&sortAsc=false&select=Name>; rel="self", <?page=1&pageSize=9&sort=CreatedAt&sortAsc=false&select=Name>; rel="first", <?page=1&pageSize=9&sort=CreatedAt&sortAsc=false&select=Name>; rel="last"`, "?select=Name&pageSize=9"},
		{`<?Data.x=` + strings.Repeat("a", 700) + `&page=1&pageSize=10&sort=CreatedAt&sortAsc=false>; rel="self"`, "?Data.x=" + strings.Repeat("a", 700)},
	} {
		key := ""
		for _, target := range c[1:] {
			response, p, err := v.Respond(lists+target, nil)
			if p != nil || err != nil {
				t.Fatal(target, p, err)
			}
			if string(response.Link) != c[0] {
				t.Errorf("%s\n got %s\nwant %s", target, response.Link, c[0])
			}
			if k := keyOf(t, v, lists+target); key != "" && k != key {
				t.Errorf("%s: key %s, want %s", target, k, key)
			} else {
				key = k
			}
		}
	}
}

func TestPathsLeftOutAreRefused(t *testing.T) {
	v := richSite(t, false, "Data.body", "")
	want := `!no list can be filtered by Data.body.title: the rule "Data.body" of the environment leaves it out of the index`
	if got := get(t, v, lists+"?Data.body.title=x", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := ids(t, v, lists+"?Data.title=red%20coat"); got != "A" {
		t.Error(got)
	}
}

func TestStrictParametersKnowPaths(t *testing.T) {
	v := fieldSite(t)
	v.StrictParameters = true
	for query, want := range map[string]string{"Data.slug=hello&select=ContentID": "C", "select=ContentID&Data.nope=1": "", "data.slug=x": "!", "Name=x": "!", "include=1&x": "!"} {
		if got := ids(t, v, lists+"?"+query); got != want && (want != "!" || !strings.HasPrefix(got, "!no list has this parameter")) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func keyOf(t *testing.T, v *answer.Release, target string) string {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	route, _ := address.ParsePath(path)
	c, err := v.Find(route, query)
	if err != nil {
		t.Fatal(target, err)
	}
	return c.Key
}
