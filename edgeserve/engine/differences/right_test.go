package differences_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

var (
	pageItems  = regexp.MustCompile(`'(\{"[^']*\})'`)
	pageBodies = regexp.MustCompile(`(?m)^both '([^']*)'`)
)

// The bodies of the page have the responses here that the page says, about the items of the page.
func TestRightHere(t *testing.T) {
	page, err := os.ReadFile("../search/DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```bash\n")
	loop, _, _ := strings.Cut(block, "\n")
	var items []string
	for _, m := range pageItems.FindAllStringSubmatch(loop, -1) {
		items = append(items, m[1])
	}
	for i := range 20000 {
		items = append(items, fmt.Sprintf(`{"p":%d}`, i+1))
	}
	for i, data := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"i%d","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":%s}`, i+1, data)
	}
	r := searchtest.Snaptest(t, items)
	m := &release.Manifest{Build: "b", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: r.Env(), Items: r.Items()}}}
	content := answer.FromSnapshots(m, map[string]*snapshot.Reader{r.Env(): r})
	want := []struct {
		shown *regexp.Regexp
		here  string
	}{
		{regexp.MustCompile(`"v":\{"value":([^}]*)\}`), "10.0 30.0 20.0"},
		{regexp.MustCompile(`"_score":([^,]*),`), "0.13353139 0.13353139 0.13353139 0.0"},
		{regexp.MustCompile(`"50.0":([^}]*)\}`), "10000.5"},
	}
	bodies := pageBodies.FindAllStringSubmatch(block, -1)
	if len(bodies) != len(want) {
		t.Fatalf("the page asks %d bodies, want %d", len(bodies), len(want))
	}
	for i, b := range bodies {
		response, p, err := content.Respond(address.ElasticSearch.Path(r.Env()), []byte(b[1]))
		if p != nil || err != nil {
			t.Fatalf("%s: %+v %v", b[1], p, err)
		}
		var got []string
		for _, v := range want[i].shown.FindAllSubmatch(response.Body, -1) {
			got = append(got, string(v[1]))
		}
		if shown := strings.Join(got, " "); shown != want[i].here {
			t.Errorf("%s shows %s, want %s", b[1], shown, want[i].here)
		}
	}
}
