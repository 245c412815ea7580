// This file is the content that the browser sees, and the preview that serves it.

package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// site is a content directory with a running preview.
type site struct {
	t    *testing.T
	dir  string // the content directory
	base string
	log  *buffer
}

// buffer is the output of a process, which may be read meanwhile.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// preview starts a preview of files, by their paths in the content directory.
func (s *suite) preview(t *testing.T, files map[string]string, flags ...string) *site {
	t.Helper()
	p := &site{t: t, dir: filepath.Join(t.TempDir(), "content"), log: &buffer{}}
	check(t, os.MkdirAll(p.dir, 0o755))
	for name, text := range files {
		p.save(name, text)
	}
	p.start(s.bin, flags...)
	return p
}

// sample starts a preview of a copy of the repository's content.
func (s *suite) sample(t *testing.T) *site {
	t.Helper()
	p := &site{t: t, dir: filepath.Join(t.TempDir(), "content"), log: &buffer{}}
	check(t, os.CopyFS(p.dir, os.DirFS("../../../content")))
	p.start(s.bin)
	return p
}

// start starts preview and waits until its first build has ended.
func (p *site) start(bin string, flags ...string) {
	t := p.t
	t.Helper()
	cmd := exec.Command(bin, append([]string{"--content", "content", "--addr", "127.0.0.1:0"}, flags...)...)
	cmd.Dir = filepath.Dir(p.dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = p.log, p.log
	check(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if t.Failed() {
			t.Logf("preview:\n%s", p.log)
		}
	})
	until(t, "an address in the terminal", func() bool { p.base = address.FindString(p.log.String()); return p.base != "" })
	until(t, "the end of the first build", func() bool { return bytes.Contains(p.get("/-/api/state"), []byte(`"build":{`)) })
}

// until waits for a condition.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// save writes a file of the content as editors do: under another name first.
func (p *site) save(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	check(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(p.t, os.WriteFile(path+".tmp~", []byte(text), 0o644))
	check(p.t, os.Rename(path+".tmp~", path))
}

// get is the body of a response; nothing while the preview does not answer.
func (p *site) get(path string) []byte {
	r, err := http.Get(p.base + path)
	if err != nil {
		return nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	check(p.t, err)
	return body
}

// id is the id of the nth item.
func id(n int) string { return fmt.Sprintf("Content_00000000-0000-4000-8000-%012d", n) }

// item is an item as JSON. members are added to its own or replace them.
func item(n int, name, template string, data any, members ...string) string {
	m := map[string]any{"ContentID": id(n), "Name": name, "TemplateName": template, "CreatedAt": fmt.Sprintf("2026-01-01T00:%02d:%02dZ", n/60%60, n%60), "Data": data}
	for i := 0; i < len(members); i += 2 {
		m[members[i]] = members[i+1]
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

type object = map[string]any

func reference(ids ...string) object {
	return object{"Type": "Reference", "ReferenceType": "Content", "ContentIDs": ids}
}

// bakery is content with two environments: 26 articles (two drafts, one not yet published) by
// an author, and a shop. A path has values of mixed kinds.
func bakery() map[string]string {
	files := map[string]string{
		"site/ada.json":   item(101, "Ada Baker", "Author", object{"bio": "She bakes.", "since": 2019}, "Status", "Published"),
		"site/ben.json":   item(102, "Ben Miller", "Author", object{"bio": "He mills.", "since": "long ago"}),
		"shop/flour.json": item(201, "Flour", "Product", object{"price": 2.5}),
	}
	for n := 1; n <= 26; n++ {
		members := []string{}
		switch {
		case n == 24 || n == 25:
			members = []string{"Status", "Draft"}
		case n == 26:
			members = []string{"PublishedAt", "2030-05-01T00:00:00Z"}
		}
		files[fmt.Sprintf("site/article-%02d.json", n)] = item(n, fmt.Sprintf("Article %02d", n), "Article", article(n), members...)
	}
	return files
}

func article(n int) object {
	data := object{
		"title": fmt.Sprintf("Loaf number %d", n), "rank": n, "sour": n%2 == 0, "baked": fmt.Sprintf("2026-%02d-10", n%12+1),
		"tags": []string{"bread", fmt.Sprintf("oven %d", n%3)}, "author": reference(id(101)),
	}
	if n == 1 {
		data["more"] = reference(id(2), id(999))
		data["photo"] = object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "https://media.example.org/loaf.jpg", "AltText": "A loaf"}
		data["icon"] = object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": pixel, "AltText": "A dot"}
		data["exact"] = json.RawMessage("12345678901234567890")
		data["html"] = `<h2>A loaf</h2><p>Baked <a href="https://example.org/">today</a>.</p>`
		data["notes"] = "# Notes\n\n- flour\n- water"
		data["shelf"] = []object{{"name": "top", "depth": json.RawMessage("1.0")}, {"name": "bottom"}}
	}
	return data
}

// pixel is an image in an address.
const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
