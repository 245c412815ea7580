package strapi

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// archive packs an export as a tar. The names are those of macOS too, if asked.
func archive(t testing.TB, f map[string]string, mac bool) string {
	t.Helper()
	files := maps.Clone(f)
	files["assets/uploads/cat.png"] = "\x89PNG"
	for name := range f {
		if folder, base, _ := strings.Cut(name, "/"); mac && base != "" {
			files[folder+"/._"+base] = "\x00\x05\x16\x07 not JSON"
		}
	}
	return importstest.Tar(t, files)
}

func small() map[string]string {
	return parts([]string{schema("post", true, title)}, []string{entry("post", 1, "d", "null", "null", `,"title":"Hello"`)}, nil)
}

func TestArchivesAndFolders(t *testing.T) {
	plain := archive(t, small(), true)
	want := run(t, small(), imports.Options{}).OK().Text()
	for name, text := range map[string]string{"export.tar": plain, "export.tar.gz": importstest.Gzip(t, plain), "export": importstest.Gzip(t, plain)} {
		r := importstest.Try(t, System, map[string]string{name: text}, imports.Options{}).OK()
		if got := r.Text(); got != want || got == "" {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// a second file of a part
	f := small()
	f["entities/entities_00002.jsonl"] = entry("post", 2, "e", "null", "null", `,"title":"More"`)
	run(t, f, imports.Options{}).OK().Named("More")
}

func TestFaults(t *testing.T) {
	plain := archive(t, small(), false)
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"an encrypted export", "e.tar.gz.enc", "x", []string{"is encrypted", "--no-encrypt"}},
		{"an encrypted one with another name", "e.tar", strings.Repeat("\x13\x9f\x55", 500), []string{"--no-encrypt"}},
		{"a gzip cut off", "e.tar.gz", importstest.Gzip(t, plain)[:200], []string{"cut off"}},
		{"a tar cut off", "e.tar", plain[:700], []string{"cut off"}},
		{"another archive", "e.tar", archive(t, map[string]string{"readme.txt": "x"}, false), []string{"not an export of Strapi", "--no-encrypt"}},
		{"another file", "e.json", "{}", []string{"not an export of Strapi"}},
		{"an empty file", "e.tar", "", []string{"is empty"}},
		{"a tar cut off between files", "e.tar", plain[:1024], []string{"cut off"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			importstest.Try(t, System, map[string]string{tt.file: tt.text}, imports.Options{}).Fails(tt.want...)
		})
	}
	for _, tt := range []struct{ name, part, text, want string }{
		{"no JSON", "entities", "{}\n{\"type\":", "entities_00001.jsonl:2:9"},
		{"no object", "links", "[]", "links_00001.jsonl:1:1: this line must be an object"},
		{"a key twice", "schemas", `{"uid":"a","uid":"b"}`, "given twice"},
		{"nested too deep", "entities", strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600), "nested more than 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := small()
			f[tt.part+"/"+tt.part+"_00001.jsonl"] = tt.text
			run(t, f, imports.Options{}).Fails(tt.want)
		})
	}
}

// TestHostileArchives: sizes that lie, names that lead elsewhere, lines without an end, and a file that
// decompresses to much more than it has.
func TestHostileArchives(t *testing.T) {
	header := func(h tar.Header, text string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		return b.String() + text
	}
	const name = "entities/entities_00001.jsonl"
	long := strings.Repeat("x", 40<<20) // more than a line may have
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a size that lies", header(tar.Header{Name: name, Mode: 0o644, Size: 1 << 50, Format: tar.FormatGNU}, `{"type":"a"}`+"\n"), []string{"cut off"}},
		{"a size that lies, of another file", header(tar.Header{Name: "assets/x", Mode: 0o644, Size: 1 << 50, Format: tar.FormatGNU}, "x"), []string{"cut off"}},
		{"a link", header(tar.Header{Name: name, Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, strings.Repeat("\x00", 1024)), []string{"not an export of Strapi"}},
		{"a long name", archive(t, map[string]string{strings.Repeat("a/", 3000) + name: "{}"}, false), []string{"name of more than"}},
		{"a long line", importstest.Gzip(t, archive(t, map[string]string{name: long}, false)), []string{"entities_00001.jsonl:1:1", "more than 32"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begin := time.Now()
			importstest.Try(t, System, map[string]string{"e.tar": tt.text}, imports.Options{}).Fails(tt.want...)
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
	// components in components, each twice
	rows, links := []string{old("page", 1, "null", "")}, []string{link(at("page", "c", 1, "1"), at("c.c", "", 1, ""))}
	for id := 1; id <= 30; id++ {
		rows = append(rows, fmt.Sprintf(`{"type":"c.c","id":%d,"data":{"t":"x"}}`, id))
		links = append(links, link(at("c.c", "c", id, "1"), at("c.c", "", id+1, "")), link(at("c.c", "c", id, "2"), at("c.c", "", id+1, "")))
	}
	importstest.Try(t, System, parts(nil, rows, links), imports.Options{}).Fails("one in the other, have more than")
	// a name with .. is that of the file below: nothing is opened by it
	f := archive(t, map[string]string{"../../" + name: entry("post", 1, "d", "null", "null", `,"title":"T"`)}, false)
	importstest.Try(t, System, map[string]string{"e.tar": f}, imports.Options{}).OK().Named("T")
}

func TestOddRows(t *testing.T) {
	f := small()
	f["entities/entities_00001.jsonl"] += "\n" + entry("post", 1, "d", "null", "null", "") + "\n" + entry("post", 2, "d", "null", "null", "") +
		"\n" + `{"type":"api::post.post","id":7}` + "\n" + `{"type":"api::none.none","id":1,"data":{"documentId":"n","createdAt":"` + date + `","any":{"x":1}}}` + "\n{}\n" + `{"type":7,"id":[]}`
	delete(f, "links/links_00001.jsonl")
	r := importstest.Try(t, System, f, imports.Options{})
	r.Fails("without a date: 1")
	f["entities/entities_00001.jsonl"] = strings.Replace(f["entities/entities_00001.jsonl"], `"id":7}`, `"id":7,"data":{"createdAt":"`+date+`"}}`, 1)
	r = run(t, f, imports.Options{}).OK()
	r.Warned("no file links/", 1)
	r.Count("api::post.post", "here again", 1)
	r.Count("api::post.post", "same version", 1)
	r.Warned("no schema of the type api::none.none", 1)
	r.Is(r.Named("n"), "Data", `{"any":{"x":1}}`)
}

func FuzzStrapi(f *testing.F) {
	f.Add(schema("post", true, title+`,"tags":{"type":"relation"}`), entry("post", 1, "d", "null", "null", `,"title":"T"`), link(at("post", "tags", 1, "1"), at("post", "", 1, "")))
	f.Add(component("c.c", `"c":{"type":"component","component":"c.c"}`), `{"type":"c.c","id":1,"data":{"c":{"id":1}}}`, link(at("c.c", "c", 1, ""), at("c.c", "", 1, "")))
	f.Add(`{"uid":"api::a.a","attributes":{"c":{"type":"dynamiczone"}}}`, `{"type":"api::a.a","id":1,"data":{"createdAt":"`+date+`","c":[{"__component":"x"}]}}`, `{"left":{},"right":7}`)
	f.Fuzz(func(t *testing.T, schemas, entities, links string) {
		r := run(t, parts([]string{schemas}, []string{entities}, []string{links}), imports.Options{Locales: imports.LocalesAsMembers})
		if r.Err == nil {
			r.OK()
		}
	})
}

func TestLongValues(t *testing.T) {
	importstest.LongValues(t, System, parts([]string{schema("post", true, title+`,"to":{"type":"relation","relation":"oneToMany","target":"api::post.post"},"key":{"type":"password"}`)},
		[]string{entry("post", 1, "d", `"en"`, `"2024-01-02T00:00:00Z"`, `,"title":"Hello","odd":1,"key":"k"`), entry("post", 2, "e", "null", "null", `,"title":""`), upload(3)},
		[]string{link(at("post", "to", 1, "1"), at("post", "", 9, ""))}), imports.Options{})
}
