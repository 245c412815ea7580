package exports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

func packed(t testing.TB, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 2}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.String()
}

func zip(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.String()
}

// TestExports shows which beginnings are recognised.
func TestExports(t *testing.T) {
	long := strings.Repeat("x", Peek)
	for _, tt := range []struct{ name, text, want string }{
		{"Contentful", `{"contentTypes":[{"sys":{"id":"a"}}],"entries":[]}`, "contentful"},
		{"Contentful's models alone", `{ "contentTypes": [ {"sys":{}} ] }`, "contentful"},
		{"Contentful's entries alone", `{"entries":[{"sys":{}}]}`, "contentful"},
		{"a long export, cut off", `{"contentTypes":[{"sys":{"id":"a"}}],"locales":[{"code":"` + long, "contentful"},
		{"Sanity", `{"_createdAt":"x","_id":"drafts.a","_type":"post"}` + "\n{", "sanity"},
		{"an archive of Sanity", zip(t, packed(t, "x/images/a.png", "x/data.ndjson")), "sanity"},
		{"lines of Strapi", `{"type":"api::post.post","id":1,"data":{}}`, "strapi"},
		{"links of Strapi", `{"kind":"relation.morph","left":{},"right":{}}`, "strapi"},
		{"schemas of Strapi", `{"collectionName":"x","attributes":{},"modelType":"component","uid":"a.b"}`, "strapi"},
		{"the configuration of Strapi", `{"type":"core-store","value":{}}`, "strapi"},
		{"the metadata of Strapi", `{"createdAt":"x","strapi":{"version":"5.0.0"}}`, "strapi"},
		{"an archive of Strapi", zip(t, packed(t, "metadata.json", "schemas/._schemas_00001.jsonl", "entities/entities_00001.jsonl")), "strapi"},
		{"a tar of Strapi", packed(t, "links/links_00001.jsonl"), "strapi"},
		{"WordPress", `<?xml version="1.0"?><!-- x --><rss xmlns:wp="http://wordpress.org/export/1.2/">`, "wordpress"},
		{"WordPress, compressed", zip(t, `<rss xmlns:wp="https://wordpress.org/export/1.0/">`), "wordpress"},
		{"Ghost", `{"db":[{"meta":{"exported_on":1,"version":"5.0"},"data":{"posts":[`, "ghost"},
		{"Ghost without db", "\ufeff" + `{"meta":{"version":"009"},"data":{"posts":[]}}`, "ghost"},
		{"an item", `{"ContentID":"a","Name":"x","TemplateName":"y"}`, ""},
		{"an item with members of another system", `{"_id":"a","_type":"b","ContentID":"a"}`, ""},
		{"a saved response", `{"status":200,"data":[]}`, ""},
		{"entries of somebody", `{"entries":[{"id":1}]}`, ""},
		{"types of somebody", `{"contentTypes":[1]}`, ""},
		{"a feed", `<rss><channel/></rss>`, ""},
		{"another archive", packed(t, "a.txt"), ""},
		{"no JSON", `{"a`, ""}, {"a bracket", `{`, ""}, {"nothing", ``, ""}, {"a list", `[{"_id":1,"_type":2}]`, ""}, {"odd", `{7,"_id" "_type"}`, ""},
		{"gzip in gzip", zip(t, zip(t, `{"_id":1,"_type":2}`)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if e := Of([]byte(tt.text)[:min(len(tt.text), Peek)]); e != nil {
				got = e.System
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got := strapiPart.Hint("content/site/my export/entities/entities_00001.jsonl", "site", "content"); !strings.HasSuffix(got, "generator import strapi 'my export' --env site --content content") {
		t.Error(got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"db":[{"meta":{"version":1},"data":{"posts":[]}}]}`))
	f.Add([]byte(`{"entries":[{"sys":{`))
	f.Add([]byte("{\"a\\"))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(_ *testing.T, text []byte) { Of(text) })
}
