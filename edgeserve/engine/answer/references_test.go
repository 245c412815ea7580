package answer_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// linked is an item that refers to others, as "author:p1,p2".
func linked(id, template, day string, refs ...string) string {
	data := `"title":"T ` + id + `"`
	for _, r := range refs {
		name, ids, _ := strings.Cut(r, ":")
		data += fmt.Sprintf(`,%q:{"Type":"Reference","ReferenceType":"Content","ContentIDs":["%s"]}`, name, strings.ReplaceAll(ids, ",", `","`))
	}
	return fmt.Sprintf(`{"CreatedAt":"2021-01-%sT00:00:00.000Z","Data":{%s},"Name":"N %s","TemplateName":%q,"ContentID":%q}`, day, data, id, template, id)
}

// blog has articles, people and a company.
var blog = []string{
	linked("a1", "Article", "09", "author:p1", "next:a2"),
	linked("a2", "Article", "08", "author:p1,gone"),
	linked("p1", "Person", "07", "company:c1", "articles:a1,a2"),
	linked("c1", "Company", "06"),
}

func blogSite(t testing.TB, rules []release.Include, used release.UsedIn) *answer.Release {
	return answer.FromSnapshots(&release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10},
		Environments: []release.Environment{{ID: "blog", Items: len(blog), Include: rules, UsedIn: used}}},
		map[string]*snapshot.Reader{"blog": searchtest.Named(t, "blog", blog)})
}

// short shows the items of a body by their ids, and those that are shown in part as they are.
func short(body string) string {
	for i, id := range []string{"a1", "a2", "p1", "c1"} {
		body = strings.ReplaceAll(body, blog[i], id)
	}
	return body
}

// TestIncluded shows what responses include, and what is wrong with a request. Items are shown by their ids.
func TestIncluded(t *testing.T) {
	plain := blogSite(t, nil, release.UsedIn{})
	ruled := blogSite(t, []release.Include{{Template: "Article", Levels: 2, Paths: []string{"Data.author"}}, {Template: "Person", Levels: 1, Paths: []string{"Data.company"}}}, release.UsedIn{Templates: []string{"Person"}})
	const root = "/cda/rest/v1/blog/contents"
	for _, tt := range []struct {
		name   string
		site   *answer.Release
		target string
		want   string
		link   string
	}{
		{"an item", plain, root + "/a1?include=1", `{"status":200,"data":a1,"Included":{"p1":p1,"a2":a2}}`, `<?include=1>; rel="self"`},
		{"two levels: the item itself is not included", plain, root + "/a1?include=2", `{"status":200,"data":a1,"Included":{"p1":p1,"a2":a2,"c1":c1}}`, `<?include=2>; rel="self"`},
		{"an item without references", plain, root + "/c1?include=3", `{"status":200,"data":c1,"Included":{}}`, `<?include=3>; rel="self"`},
		{"none", plain, root + "/a1?include=0", `{"status":200,"data":a1}`, `<?include=0>; rel="self"`},
		{"an empty value is absent", plain, root + "/a1?include=", `{"status":200,"data":a1}`, ``},
		{"a list does not include what is on its page", plain, root + "?pageSize=2&include=1", `{"status":200,"data":[a1,a2],"Included":{"p1":p1},"totalItems":4}`,
			`<?page=1&pageSize=2&sort=CreatedAt&sortAsc=false&include=1>; rel="self", <?page=1&pageSize=2&sort=CreatedAt&sortAsc=false&include=1>; rel="first", <?page=2&pageSize=2&sort=CreatedAt&sortAsc=false&include=1>; rel="next", <?page=2&pageSize=2&sort=CreatedAt&sortAsc=false&include=1>; rel="last"`},
		{"an empty page", plain, root + "?page=9&include=1", `{"status":200,"data":[],"Included":{},"totalItems":4}`, "-"},
		{"select shows a part, and follows its references", plain, root + "?pageSize=1&include=1&select=Name,Data.author", `{"status":200,"data":[{"Data":{"author":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["p1"]}},"Name":"N a1"}],"Included":{"p1":p1},"totalItems":4}`, "-"},
		{"without the reference, nothing", plain, root + "/a1?include=1&select=Name", `{"status":200,"data":{"Name":"N a1"},"Included":{}}`, "-"},
		{"rules of the environment", ruled, root + "/a1", `{"status":200,"data":a1,"Included":{"p1":p1,"c1":c1}}`, ``},
		{"the same by the name of the file, which has no parameters", ruled, root + "/a1.json?include=0", `{"status":200,"data":a1,"Included":{"p1":p1,"c1":c1}}`, ``},
		{"a request that says otherwise", ruled, root + "/a1?include=1", `{"status":200,"data":a1,"Included":{"p1":p1,"a2":a2}}`, "-"},
		{"none, whatever the rules say", ruled, root + "/a1?include=0", `{"status":200,"data":a1}`, "-"},
		{"select without the template leaves the template's rule", ruled, root + "/a1?select=Data.author,Data.next", `{"status":200,"data":{"Data":{"author":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["p1"]},"next":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a2"]}}},"Included":{"p1":p1,"c1":c1}}`, "-"},
		{"a template without a rule", ruled, root + "/c1", `{"status":200,"data":c1}`, ``},
		{"lists follow no rules", ruled, root + "?pageSize=1", `{"status":200,"data":[a1],"totalItems":4}`, "-"},
		{"the items that refer to one", ruled, root + "/p1/used-in.json", `{"status":200,"data":[{"Name":"N a1","TemplateName":"Article","ContentID":"a1"},{"Name":"N a2","TemplateName":"Article","ContentID":"a2"}],"totalItems":2}`, ``},
		{"which no rule asks for", ruled, root + "/a1/used-in.json", `404 unknown_used_in`, ""},
		{"of an item that is not there", ruled, root + "/a9/used-in.json", `404 unknown_item`, ""},
		{"a release without such lists", plain, root + "/p1/used-in.json", `404 unknown_used_in`, ""},
		{"too many levels", plain, root + "?include=4", `400 bad_include in include`, ""},
		{"a word", plain, root + "/a1?include=author", `400 bad_include in include`, ""},
		{"twice", plain, root + "/a1?include=1&include=2", `400 duplicate_parameter in include`, ""},
		{"of an item that is not there", plain, root + "/a9?include=1", `404 unknown_item`, ""},
	} {
		response, p, err := tt.site.Respond(tt.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := short(string(response.Body))
		if p != nil {
			got = strings.TrimSuffix(strconv.Itoa(p.Status)+" "+p.Code+" in "+p.Parameter, " in ")
		}
		if got != tt.want || tt.link != "-" && string(response.Link) != tt.link {
			t.Errorf("%s: got %s\n%s\nwant %s\n%s", tt.name, got, response.Link, tt.want, tt.link)
		}
	}
}

// TestIncludeIsBounded: a page of items that refer to very many others, of which few exist, is answered or refused within
// the limit of work.
func TestIncludeIsBounded(t *testing.T) {
	refs := make([]string, 1000)
	items := make([]string, 100)
	for i := range items {
		for j := range refs {
			refs[j] = fmt.Sprintf("x%d-%d", i, j)
		}
		items[i] = linked(fmt.Sprintf("i%d", i), "T", "01", "to:"+strings.Join(refs, ","))
	}
	site := answer.FromSnapshots(&release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: "blog"}}},
		map[string]*snapshot.Reader{"blog": searchtest.Named(t, "blog", items)})
	if _, p, err := site.Respond("/cda/rest/v1/blog/contents?pageSize=100&include=1", nil); err != nil || p != nil && p.Code != "too_costly" {
		t.Errorf("%+v, %v", p, err)
	}
	for i := range items {
		for j := range refs {
			refs[j] = fmt.Sprintf("i%d", (i+j)%100)
		}
		items[i] = linked(fmt.Sprintf("i%d", i), "T", "01", "to:"+strings.Join(refs, ","))
	}
	site = answer.FromSnapshots(site.Manifest, map[string]*snapshot.Reader{"blog": searchtest.Named(t, "blog", items)})
	response, p, err := site.Respond("/cda/rest/v1/blog/contents?pageSize=10&include=3", nil)
	if n := strings.Count(string(response.Body), `"ContentID"`); err != nil || p != nil || n != 100 {
		t.Errorf("%d items, %+v, %v", n, p, err)
	}
}

// TestIncludedIsLacking includes items from a search-only snapshot: each level of references is a round of fetching.
func TestIncludedIsLacking(t *testing.T) {
	reader := searchtest.Named(t, demo, blog)
	for target, rounds := range map[string]int{
		"/cda/rest/v1/demo/contents/c1?include=3":                1,
		"/cda/rest/v1/demo/contents/a1?include=1":                2,
		"/cda/rest/v1/demo/contents/a1?include=2":                3,
		"/cda/rest/v1/demo/contents?pageSize=1&include=3":        3,
		"/cda/rest/v1/demo/contents?sort=Name&pageSize=1&page=2": 1,
	} {
		s := newTwoSites(t, reader)
		if s.compare(target, ""); s.rounds != rounds {
			t.Errorf("%s: %d rounds, want %d", target, s.rounds, rounds)
		}
	}
}
