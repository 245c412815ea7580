// This file lays out the tree that the mapping's vectors were written for, and stands
// in for the edge server behind a host: one that says what it was asked.

package hosts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

const vectorDir = "../../edgeserve/wire/address/testdata/"

// vector is a request and what has to answer it: "file" or "edge". Also is a file that
// a host may answer with in the edge's place: one with the edge's very bytes, found
// because the host put the path in order first.
type vector struct{ ID, Method, Target, Expect, File, Also string }

// world is a tree of files, and requests with their right answers.
type world struct {
	env      string
	defaults address.Defaults
	vectors  []vector
	files    map[string]bool // with the leading slash
	lists    []address.List  // page 1 of each
}

func readWorld(t *testing.T) *world {
	t.Helper()
	var v struct {
		Env      string
		Defaults struct {
			PageSize int
			Sort     string
			SortAsc  bool
		}
		Vectors []vector
	}
	b, err := os.ReadFile(vectorDir + "vectors.json")
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil || len(v.Vectors) != 268 {
		t.Fatalf("%d vectors, %v", len(v.Vectors), err)
	}
	w := &world{env: v.Env, vectors: v.Vectors, files: map[string]bool{}, defaults: address.Defaults{Sort: v.Defaults.Sort, Asc: v.Defaults.SortAsc, Size: v.Defaults.PageSize}}
	f, err := os.Open(vectorDir + "tree.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			w.add(t, line)
		}
	}
	w.addSearches(t)
	w.addMedia(t)
	w.addUsedIn(t)
	w.addParameters(t)
	return w
}

// moreVectors is how many vectors addSearches, addMedia, addUsedIn and addParameters add: each host answers them exactly.
const moreVectors = 13 + 13 + 7 + 33

// addUsedIn adds what hosts and the edge answer of the items that refer to an item.
func (w *world) addUsedIn(t *testing.T) {
	name := func(id string) string { return "/" + address.UsedInFile(w.env, id) }
	w.add(t, name("Content_used"))
	w.vectors = append(w.vectors, vector{ID: "used", Method: "GET", Target: name("Content_used"), Expect: "file", File: name("Content_used")},
		vector{ID: "used?", Method: "HEAD", Target: name("Content_used") + "?x=%20", Expect: "file", File: name("Content_used")})
	for _, target := range []string{name("Content_unused"), name("_used"), name("Content_used") + "/", strings.TrimSuffix(name("Content_used"), ".json"), strings.Replace(name("Content_used"), "used-in.", "used-inx", 1)} {
		w.vectors = append(w.vectors, vector{ID: target, Method: "GET", Target: target, Expect: "edge"})
	}
}

// addParameters adds requests with parameters that have no files: only the edge server may answer, never a file that
// lacks them. Without an edge server the answer is 404.
func (w *world) addParameters(t *testing.T) {
	lists, item := "/cda/rest/v1/"+w.env+"/contents", strings.TrimSuffix(w.someItem(), ".json")
	order := fmt.Sprintf("sort-updatedat-desc-%d", w.defaults.Size)
	for _, list := range []string{"path-slug/value-hello.2d_world/", "path-slug/value-_a.26_-.c3a9_/", "path-a-b.2e_x/value-1/", "status-_published/path-slug/value-a/"} {
		w.add(t, list+order+" 1")
	}
	for _, query := range []string{"select=Name", "page=1&select=Name", "select=", "Data.slug=b", "x=1&Data.slug=hello", "Data.=a", "sel%65ct=Name", "%44ata.slug=hello-world", "Data%2Eslug=hello-world",
		"Data.slug=hello-world&Data.slug=hello-world", "Data.slug=hello-world&Data.other", "Data.other=hello-world", "Data.slug.x=a", "Data.slugs=a", "Data.slug=hello-world&page=9"} {
		w.vectors = append(w.vectors, vector{ID: "list?" + query, Method: "GET", Target: lists + "?" + query, Expect: "edge"})
	}
	for _, query := range []string{"select=Name", "x&select=Name", "select", "sel%65ct=Name", "%73%65%6C%65%63%74=Name", "%73%65%6c%65%63%74"} {
		w.vectors = append(w.vectors, vector{ID: "item?" + query, Method: "GET", Target: item + "?" + query, Expect: "edge"})
	}
	file := func(list string) string { return lists + "-list/" + list + order + "/page-1.json" }
	first := file("")
	for _, v := range [][2]string{
		{lists + "?utm_source=select&selected=1&SELECT=Name&data.slug=a", first}, // no parameters, and ignored by the edge server too
		{item + "?utm_source=select&selected=1&Data.slug=a", item + ".json"},
		{item + ".json?select=Name", item + ".json"}, // the name of a file has no parameters
		{first + "?select=Name&Data.slug=a", first},
		{item + "?&=select&", item + ".json"},
		{lists + "?Data.slug=hello-world", file("path-slug/value-hello.2d_world/")},
		{lists + "?x&Data.slug=h%65llo%2dworld&page=1&", file("path-slug/value-hello.2d_world/")},
		{lists + "?Data.slug=A%26+%c3%A9", file("path-slug/value-_a.26_-.c3a9_/")},
		{lists + "?Data.a+b.x=1", file("path-a-b.2e_x/value-1/")},
		{lists + "?Data.slug=a&status=Published", file("status-_published/path-slug/value-a/")},
		{lists + "?Data.slug=", first},
		{lists + "?Data.slug&page=1", first},
	} {
		w.vectors = append(w.vectors, vector{ID: v[0], Method: "GET", Target: v[0], Expect: "file", File: v[1]})
	}
}

// mediaDigest stands for one of media.
const mediaDigest = "00112233445566778899aabbccddeeff"

// addMedia adds what hosts and the edge answer of media.
func (w *world) addMedia(t *testing.T) {
	dir := "/cda/media/" + w.env + "/" + mediaDigest + "/"
	for _, name := range []string{"a.png", "a-b_2.mp4", "c.pdf"} {
		w.add(t, dir+name)
		w.vectors = append(w.vectors, vector{ID: name, Method: "GET", Target: dir + name, Expect: "file", File: dir + name},
			vector{ID: name + "?", Method: "HEAD", Target: dir + name + "?x=%20", Expect: "file", File: dir + name})
	}
	for _, name := range []string{"A.png", "a.html", "a.png.gz", "b.png", "a.png/", "_a.png", "%61.png"} {
		w.vectors = append(w.vectors, vector{ID: name, Method: "GET", Target: dir + name, Expect: "edge"})
	}
}

// addSearches adds what hosts and the edge answer of saved searches, which the vectors lack.
func (w *world) addSearches(t *testing.T) {
	dir := "/cda/rest/v1/" + w.env + "/searches/"
	for _, name := range []string{"new.json", "new.2.json", "New-2_x.json"} {
		w.add(t, dir+name)
		w.vectors = append(w.vectors, vector{ID: name, Method: "GET", Target: dir + name, Expect: "file", File: dir + name},
			vector{ID: name + "?", Method: "HEAD", Target: dir + name + "?x=%20", Expect: "file", File: dir + name})
	}
	for _, name := range []string{"new", "new.json/", "old.json", "new.3.json", "_new.json", ".json", "%6eew.json"} {
		w.vectors = append(w.vectors, vector{ID: name, Method: "GET", Target: dir + name, Expect: "edge"})
	}
}

// add takes in a line of the tree: a file, or a list and its number of pages.
func (w *world) add(t *testing.T, line string) {
	t.Helper()
	name, pages, isList := strings.Cut(line, " ")
	if !strings.HasPrefix(name, "/") {
		name = "/cda/rest/v1/" + w.env + "/contents-list/" + name
	}
	if !isList {
		w.files[name] = true
		return
	}
	n, err := strconv.Atoi(pages)
	if err != nil {
		t.Fatal(err)
	}
	for p := 1; p <= n; p++ {
		w.files[fmt.Sprintf("%s/page-%d.json", name, p)] = true
	}
	route, ok := address.ParsePath(name + "/page-1.json")
	if !ok || route.Kind != address.ListFile {
		t.Fatalf("%s is no list", name)
	}
	w.lists = append(w.lists, route.List)
}

// manifest describes the tree as a release does.
func (w *world) manifest() *release.Manifest {
	m := &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: w.defaults.Sort, Asc: w.defaults.Asc, PageSize: w.defaults.Size}}
	env := release.Environment{ID: w.env}
	for _, l := range w.lists {
		f := release.Family{Sort: l.Sort, Asc: l.Asc, PageSize: l.Size}
		v := release.FamilyValue{Filters: map[string]string{}}
		for i, text := range []string{l.Name, l.Template, l.Status, l.CreatedBy} {
			if text != "" {
				f.Filters = append(f.Filters, filters[i].key)
				v.Filters[filters[i].key] = text
			}
		}
		for path, text := range l.Data.All() {
			f.Filters, v.Filters[path] = append(f.Filters, path), text
		}
		at := slices.IndexFunc(env.Lists, func(o release.Family) bool {
			return slices.Equal(o.Filters, f.Filters) && o.Sort == f.Sort && o.Asc == f.Asc && o.PageSize == f.PageSize
		})
		if at < 0 {
			at = len(env.Lists)
			env.Lists = append(env.Lists, f)
		}
		env.Lists[at].Values = append(env.Lists[at].Values, v)
	}
	m.Environments = []release.Environment{env}
	m.Encode() // sets Build
	return m
}

// body is what a file of the tree holds: its name.
func body(file string) string { return `{"file":"` + file + `"}` }

// lay writes the tree, with compressed variants of everything and beside it what no
// host may serve.
func (w *world) lay(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file := range w.files {
		write(file, body(file))
	}
	for _, file := range forbidden(w.env) {
		write(file, "secret")
	}
	return root
}

// forbidden are files that lie in a public directory without being answers.
func forbidden(env string) []string {
	return []string{"/.git/config", "/.lock", "/.hidden.json", "/secret.json", "/snapshots/" + env + "-0011223344556677.snap",
		"/releases/0011223344556677/manifest.json", "/cda/.hidden.json", "/cda/rest/v1/" + env + "/contents/.hidden.json",
		"/cda/rest/v1/" + env + "/notes.json", "/index.html", "/cda/index.html"}
}

// standIn answers everything with the request it got. It refuses every release.
func standIn(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Edge", url.QueryEscape(r.Method+" "+r.RequestURI))
		w.Header().Set("Content-Type", release.ContentType)
		if r.Header.Get(httpfield.Release) != "" {
			w.WriteHeader(http.StatusPreconditionFailed)
		}
		fmt.Fprint(w, `{"edge":true}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
