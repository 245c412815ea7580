package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source"
	"contentedge/generator/source/media"
	"contentedge/generator/visibility"
)

// mediaSite is a content folder with media, loaded again and again.
type mediaSite struct {
	t   testing.TB
	dir string
	r   *media.Resolver
}

func newMediaSite(t testing.TB, files map[string]string) *mediaSite {
	s := &mediaSite{t: t, dir: t.TempDir()}
	s.r = media.NewResolver(s.dir)
	s.put(files)
	return s
}

func (s *mediaSite) put(files map[string]string) {
	s.t.Helper()
	for path, content := range files {
		name := filepath.Join(s.dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *mediaSite) load(opts Options) (*Site, string) {
	s.t.Helper()
	tree, err := source.List(context.Background(), s.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	tree.Skipped = nil
	opts.Sink, opts.Media = func() TextSink { return &kept }, s.r
	site, diagnostics, err := Load(context.Background(), tree, opts)
	if err != nil {
		s.t.Fatal(err)
	}
	return site, strings.ReplaceAll(said(diagnostics), s.dir+"/", "")
}

func pngOf(t testing.TB, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withMedia is an item that has a reference with members.
func withMedia(id, members string) string {
	return fmt.Sprintf(`{"ContentID":%q,"Name":"a","TemplateName":"Page","CreatedAt":"2025-01-31T09:00:00Z","Data":{"l":[{"x":{"Type":"Reference", "ReferenceType":"Media"%s}}]}}`, id, members)
}

func addressOf(t testing.TB, site *Site, n int) string {
	t.Helper()
	if len(site.Envs[0].Media) <= n {
		t.Fatalf("%d media", len(site.Envs[0].Media))
	}
	return site.Envs[0].Media[n].Address
}

// TestMediaReferences shows what a reference to a file gains.
func TestMediaReferences(t *testing.T) {
	picture := pngOf(t, 30, 20)
	s := newMediaSite(t, map[string]string{"site/img/A b.png": picture, "site/a.svg": "<svg/>", "site/bad.png": "no", "site/unused.png": picture + "x"})
	head := `{"l":[{"x":{"Type":"Reference","ReferenceType":"Media"`
	about := fmt.Sprintf(`,"ContentType":"image/png","Size":%d,"Width":30,"Height":20}}]}`, len(picture))
	for _, tt := range []struct{ members, want, warning string }{
		{`,"MediaUrl":"./img/A%20b.png","AltText":"b"`, `,"MediaUrl":"@","AltText":"b"` + about, ""},
		{`, "MediaUrl" : ".\/img\/A b.png?v=1#x\"y" `, `,"MediaUrl":"@#x\"y"` + about, ""},
		{`,"MediaUrl":"./img/A b.png","Width":1,"Size":"big","ContentType":null`, `,"MediaUrl":"@","Width":1,"Size":"big","ContentType":null,"Height":20}}]}`, ""},
		{`,"MediaUrl":"../site/a.svg"`, `,"MediaUrl":"@","ContentType":"image/svg+xml","Size":6}}]}`, ""},
		{`,"MediaUrl":"./bad.png"`, `,"MediaUrl":"@","ContentType":"image/png","Size":2}}]}`, "site/a.json:1:203: warning: the head of the image \"site/bad.png\" is damaged, so its reference has no Width and Height\n  hint: open the image and save it again"},
		{`,"MediaUrl":"img/A b.png"`, `,"MediaUrl":"img/A b.png"}}]}`, ""},
		{`,"MediaUrl":"https://media.example.org/a.png"`, `,"MediaUrl":"https://media.example.org/a.png"}}]}`, ""},
		{`,"MediaUrl":["./img/A b.png"]`, `,"MediaUrl":["./img/A b.png"]}}]}`, ""},
		{`,"MediaUrl":"./none.png"`, `,"MediaUrl":"./none.png"}}]}`, "site/a.json:1:203: warning: Data.l[0].x.MediaUrl names the file \"./none.png\": this file does not exist\n  hint: add the file, or take the reference out; names are case-sensitive"},
	} {
		s.put(map[string]string{"site/a.json": withMedia(id1, tt.members)})
		site, got := s.load(Options{})
		if got != tt.warning {
			t.Errorf("%s: said %s\nwant %s", tt.members, got, tt.warning)
		}
		address := ""
		if strings.Contains(tt.want, "@") {
			address = addressOf(t, site, 0)
		} else if len(site.Envs[0].Media) > 0 {
			t.Errorf("%s: media %v", tt.members, site.Envs[0].Media)
		}
		if got, want := string(textOf(&site.Envs[0].Items[0]).Raw[fieldData]), head+strings.Replace(tt.want, "@", address, 1); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.members, got, want)
		}
	}
	// An array, references in references, and the same file twice.
	s.put(map[string]string{"site/a.json": strings.Replace(withMedia(id1, `,"in":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./a.svg"},"MediaUrl":"./img/A b.png"`), `"l":[`, `"l":[{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./a.svg"},`, 1)})
	site, got := s.load(Options{Strict: true})
	if got != "" || len(site.Envs[0].Media) != 2 {
		t.Fatal(got, site)
	}
	var data any
	if raw := textOf(&site.Envs[0].Items[0]).Raw[fieldData]; json.Unmarshal(raw, &data) != nil || strings.Count(string(raw), `"Size":6`) != 2 || strings.Count(string(raw), `"Width":30`) != 1 {
		t.Errorf("%s", raw)
	}
	var paths []string
	for _, f := range site.Envs[0].Fields {
		if strings.HasPrefix(f.Path, "Data.") {
			paths = append(paths, fmt.Sprint(f.Path, " ", f.Type, " ", f.First))
		}
	}
	if all := strings.Join(paths, "\n"); !strings.Contains(all, "Data.l.x.Width long") || !strings.Contains(all, "Data.l.x.in.Size long") || !strings.Contains(all, "Data.l.ContentType text") {
		t.Error(all)
	}
}

// TestBrokenMedia: a missing file is a broken reference of an item that is delivered.
func TestBrokenMedia(t *testing.T) {
	s := newMediaSite(t, map[string]string{"site/a.ndjson": withMedia(id1, `,"MediaUrl":"./a.png"`) + "\n" + strings.Replace(withMedia(id2, `,"MediaUrl":"./b.png"`), `"Name"`, `"Status":"Draft","Name"`, 1) + "\n",
		"site/a.png": pngOf(t, 1, 1), "site/b.png": pngOf(t, 2, 1)})
	site, said := s.load(Options{Rules: visibility.Rules{Statuses: []string{"Published"}}})
	if said != "" || len(site.Envs[0].Media) != 1 || site.Envs[0].Media[0].Path != "site/a.png" {
		t.Errorf("%s: a draft's media are delivered: %+v", said, site.Envs[0].Media)
	}
	for _, name := range []string{"site/a.png", "site/b.png"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const places = "site/a.ndjson:1:203: Data.l[0].x.MediaUrl names the file \"./a.png\": this file does not exist\n  hint: add the file, or take the reference out; names are case-sensitive"
	if site, said := s.load(Options{Rules: visibility.Rules{Statuses: []string{"Published"}}, Broken: BrokenFails}); site != nil || said != places {
		t.Error(said)
	}
	if site, said := s.load(Options{Broken: BrokenPasses}); site == nil || said != "" || len(site.Envs[0].Media) > 0 {
		t.Error(said)
	}
	s.put(map[string]string{"site/a.ndjson": strings.Repeat(" \n", 100) + strings.Repeat(withMedia(id1, `,"MediaUrl":"./a.png"`)+"\n", 1) + strings.Repeat("{}", 0), "site/b.json": strings.Replace(withMedia(id2, ""), `"l":[`, `"l":[`+strings.Repeat(`{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./x.png"},`, 99), 1)})
	if _, said := s.load(Options{}); !strings.Contains(said, "site/a.ndjson:101:203: warning") || !strings.Contains(said, "and 89 more broken references in this file") {
		t.Error(said)
	}
}

// TestMediaOfTexts: a format resolves URLs of its texts, and names them.
func TestMediaOfTexts(t *testing.T) {
	withProperties(t)
	about := "ContentID = " + id1 + "\nTemplateName = Page\nCreatedAt = 2025-01-31T09:00:00Z\nName = a\ntext = @./a.png"
	s := newMediaSite(t, map[string]string{"site/p/a.properties": about, "site/p/a.png": pngOf(t, 1, 1)})
	site, said := s.load(Options{})
	if address := addressOf(t, site, 0); said != "" || !strings.Contains(string(textOf(&site.Envs[0].Items[0]).Extra), address) {
		t.Error(said, text(&site.Envs[0].Items[0]))
	}
	if err := os.Remove(filepath.Join(s.dir, "site/p/a.png")); err != nil {
		t.Fatal(err)
	}
	if _, said = s.load(Options{}); !strings.HasPrefix(said, "site/p/a.properties:5:1: warning: the text names the file \"./a.png\": this file does not exist") {
		t.Error(said)
	}
}

// TestMediaCache: a Load with a cache sees that an image changed, appeared or vanished, and reads the
// items that name it again, and no others.
func TestMediaCache(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	big := withMedia(id1, `,"MediaUrl":"./a.png"`) + "\n"
	for i := range 3000 { // more than one part
		big += fmt.Sprintf(`{"ContentID":"Content_00000000-0000-4000-9000-%012d","Name":"a","TemplateName":"Page","CreatedAt":"2025-01-31T09:00:00Z","Data":{"t":%q,"x":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./b.svg"}}}`+"\n", i, strings.Repeat("x", 600))
	}
	s := newMediaSite(t, map[string]string{"site/a.json": withMedia(id2, `,"MediaUrl":"./a.png"`), "site/big.ndjson": big, "site/a.png": pngOf(t, 1, 1), "site/b.svg": "<svg/>"})
	cache := NewParseCache(64<<20, func() TextSink { return &kept })
	widths := func() (all string) {
		site, said := s.load(Options{Cache: cache})
		for i := range site.Envs[0].Items {
			if raw := string(textOf(&site.Envs[0].Items[i]).Raw[fieldData]); i < 2 {
				_, width, _ := strings.Cut(raw, `"Width":`)
				all += width[:min(len(width), 1)] + " "
			}
		}
		return fmt.Sprint(all, len(site.Envs[0].Media), " ", strings.Count(said, "broken")+strings.Count(said, "does not exist"))
	}
	for deadline := time.Now().Add(time.Minute); ; {
		before := len(kept.texts)
		if got := widths(); got != "1 1 2 0" {
			t.Fatal(got)
		}
		if len(kept.texts) == before {
			break // all is cached
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing is cached")
		}
	}
	before := len(kept.texts)
	s.put(map[string]string{"site/a.png": pngOf(t, 7, 1)})
	if got := widths(); got != "7 7 2 0" {
		t.Error(got)
	}
	if n := len(kept.texts) - before; n < 2 || n > 2500 {
		t.Errorf("%d items were read again", n)
	}
	if err := os.Remove(filepath.Join(s.dir, "site/a.png")); err != nil {
		t.Fatal(err)
	}
	if got := widths(); got != "  1 2" {
		t.Error(got)
	}
	s.put(map[string]string{"site/a.png": pngOf(t, 9, 1)})
	if got := widths(); got != "9 9 2 0" {
		t.Error(got)
	}
}
