// This file looks for hidden items in everything that the programs make of content.

package cmd

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/address"
)

// searchBodies are searches that show words of items wherever they find some.
var searchBodies = map[string]string{
	"all":        `{"size":10000,"query":{"match_all":{}}}`,
	"names":      `{"size":0,"aggs":{"a":{"terms":{"field":"Name.keyword","size":10000}}}}`,
	"templates":  `{"size":0,"aggs":{"a":{"terms":{"field":"TemplateName.keyword","size":10000}}}}`,
	"people":     `{"size":0,"aggs":{"a":{"terms":{"field":"CreatedBy.keyword","size":10000}}}}`,
	"values":     `{"size":0,"aggs":{"a":{"terms":{"field":"Data.word.keyword","size":10000}}}}`,
	"suggest":    `{"size":0,"suggest":{"s":{"text":"zqhidden00","term":{"field":"Data.word","suggest_mode":"always","max_edits":2}}}}`,
	"highlight":  `{"size":10000,"_source":false,"query":{"query_string":{"query":"zqhidden*"}},"highlight":{"fields":{"*":{}}}}`,
	"prefix":     `{"size":10000,"query":{"prefix":{"Data.word":"zqhid"}}}`,
	"wildcard":   `{"size":10000,"query":{"wildcard":{"Name.keyword":"*zqhid*"}}}`,
	"collapsed":  `{"size":10000,"collapse":{"field":"Name.keyword"},"query":{"match_all":{}}}`,
	"references": `{"size":10000,"query":{"match":{"Data.to.ContentIDs":"` + referredID + `"}}}`,
}

// view is content as some may see it: visitors, or the people who write it.
type view struct {
	*marked
	public string
	all    bool
	texts  map[string][]string // by place
}

func (v *view) add(place, text string) { v.texts[place] = append(v.texts[place], text) }

// TestHiddenItemsAreNowhere builds content in which every mark hides items, and looks for their words in files,
// responses and what programs print. A second look at everything, hidden items too, shows that each place has the words
// then.
func TestHiddenItemsAreNowhere(t *testing.T) {
	t.Parallel()
	m := newMarked(t)
	for _, all := range []bool{false, true} {
		v := &view{marked: m, public: filepath.Join(t.TempDir(), "public"), all: all, texts: map[string][]string{}}
		flags := []string{"build", "--content", m.dir, "--out", v.public, "--quiet", "--compress", "gzip", "--broken-refs", "ignore"}
		as := []string{"--as", "visitor"}
		if all {
			flags, as = append(flags, "--status", "all", "--scheduled", "--expired"), []string{"--as", "editor"}
		}
		outputOf(t, m.bin["generator"], flags...)
		v.release()
		v.programs()
		v.ask("edge server", serve(t, m.bin["edgeserve"], v.public))
		v.ask("preview", v.preview(as))
		v.check()
	}
}

// release takes the files of the release, and what is published of it for searches without a server.
func (v *view) release() {
	for name, text := range readTree(v.t, filepath.Join(v.public, "current")) {
		if strings.HasSuffix(name, ".gz") {
			text = unzipped(v.t, text)
		}
		v.add("files of "+place(name), name+"\n"+text)
	}
	d, err := releasedir.Open(v.public, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	defer d.Close()
	for _, env := range markedEnvironments {
		var b bytes.Buffer
		if err := d.Readers[env].WriteSearchOnly(&b); err != nil {
			v.t.Fatal(err)
		}
		v.add("search-only snapshots", b.String())
	}
}

// place is the kind of a file of a release.
func place(name string) string {
	parts := strings.Split(name, "/")
	for _, kind := range []string{"used-in.json", "searches", "contents-list", "contents", "media", "snapshots"} {
		if slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, kind) }) {
			return kind
		}
	}
	return parts[0]
}

func unzipped(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// programs takes what the generator prints of a release.
func (v *view) programs() {
	run := func(place string, args ...string) {
		out, err := exec.Command(v.bin["generator"], args...).Output()
		if err != nil {
			v.t.Fatalf("%v: %v", args, err)
		}
		v.add(place, string(out))
	}
	for name, body := range searchBodies {
		run("query "+name, "query", v.public, markedSite, body, "--json")
	}
	run("query --elastic", "query", v.public, markedSite, searchBodies["highlight"], "--elastic")
	for _, language := range []string{"ts", "go"} {
		run("types "+language, "types", language, "--public", v.public, "--env", markedSite)
	}
	run("openapi", "openapi", "--public", v.public)
	out := v.t.TempDir()
	run("hosts nginx", "hosts", "nginx", "--public", v.public, "--out", out)
	for name, text := range readTree(v.t, out) {
		v.add("hosts nginx", name+"\n"+text)
	}
}

// preview starts a preview and returns its URL.
func (v *view) preview(as []string) string {
	addr := freeport.Addr(v.t)
	run(v.t, v.bin["preview"], append(as, "--content", v.dir, "--addr", addr, "--out", filepath.Join(v.t.TempDir(), "work"))...)
	waitReady(v.t, "http://"+addr)
	return "http://" + addr
}

// ask asks a server for everything that it may say of items.
func (v *view) ask(server, base string) {
	get := func(place, target, body string) string {
		text := v.request(base+target, body)
		v.add(server+": "+place, text)
		return text
	}
	for _, env := range markedEnvironments {
		contents, index := address.Contents.Path(env), address.ElasticNode+"/"+env
		for _, query := range []string{"", "&select=Name,Data", "&sort=Data.word", "&include=1"} {
			get("lists"+query, contents+"?pageSize=500"+query, "")
		}
		get("an item", contents+"/"+hubID, "")
		get("an item with its references", contents+"/"+hubID+"?include=3", "")
		get("mapping", index+"/_mapping", "")
		get("field_caps", index+"/_field_caps?fields=*", "")
		if count := v.request(base+index+"/_count", `{"query":{"query_string":{"query":"zqhidden*"}}}`); strings.Contains(count, `"count":0,`) == v.all {
			v.t.Errorf("%s, %s: the count of hidden items is %.1000s", server, env, count)
		}
	}
	get("used-in", address.Contents.Path(markedSite)+"/"+referredID+"/used-in.json", "")
	for name, body := range searchBodies {
		get("search "+name, address.ElasticNode+"/"+markedSite, body)
		get("_search "+name, address.ElasticNode+"/"+markedSite+"/_search", body)
		get("saved search "+name, "/cda/rest/v1/"+markedSite+"/searches/"+name+".json", "")
	}
	for i, id := range v.ids {
		if i%20 == 0 {
			get("items", address.Contents.Path(markedSite)+"/"+id, "")
			get("_doc", address.ElasticNode+"/"+markedSite+"/_doc/"+id, "")
		}
	}
}

// request sends a body, or asks for a target without one, and returns the response.
func (v *view) request(url, body string) string {
	v.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	q, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return fmt.Sprintln(r.Status, r.Header, string(b))
}

var markedWords = regexp.MustCompile("(" + hiddenWord + "|" + shownWord + ")[0-9]{4}")

// check compares the words of each place with those that it may have, and those that it has to have.
func (v *view) check() {
	hidden, places := v.words(true), map[string][]string{}
	for place, texts := range v.texts {
		found := map[string]bool{}
		for _, text := range texts {
			for _, word := range markedWords.FindAllString(text, -1) {
				found[word] = true
			}
		}
		n := 0
		for word := range found {
			places[word] = append(places[word], place)
			if _, isHidden := hidden[word]; isHidden {
				n++
			}
		}
		if v.all && n == 0 && !slices.Contains(wordless, place) {
			v.t.Errorf("%s has no word of a hidden item where everything is delivered: the test cannot see any there:\n%.500s", place, texts[0])
		}
	}
	for _, c := range v.cells {
		switch seen := places[c.word]; {
		case !v.all && c.hidden && len(seen) > 0:
			v.t.Errorf("%s is shown by %d places, for example %s", c, len(seen), slices.Min(seen))
		case (v.all || !c.hidden) && len(seen) == 0:
			v.t.Errorf("%s is nowhere", c)
		}
	}
}

// wordless are places that never have words of items.
var wordless = []string{"openapi"}
