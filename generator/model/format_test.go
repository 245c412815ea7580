package model

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// propertyReader reads a format that is not JSON: one document a file, a member a line, name = value.
// The value ?key is the answer to a Question, and @URL the address of a media file.
type propertyReader struct {
	json   []byte
	starts []int          // the offset in json where the member of each line begins
	media  map[int]string // URLs by the offset in json
}

func (r *propertyReader) Load(in documents.Input) {
	r.json, r.starts, r.media = []byte("{"), nil, map[int]string{}
	for line := range strings.Lines(strings.TrimSpace(string(in.Text))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if len(r.starts) > 0 {
			r.json = append(r.json, ',')
		}
		r.starts = append(r.starts, len(r.json))
		if key, asks := strings.CutPrefix(value, "?"); asks {
			value = in.Ask(documents.Question{Kind: "test", Env: in.Env, Path: in.Path, Key: key})
		}
		if url, names := strings.CutPrefix(value, "@"); names {
			value, _ = documents.AskMedia(in, url)
			r.media[len(r.json)+len(name)+3] = url
		}
		r.json = fmt.Appendf(r.json, "%q:%q", name, value)
	}
	r.json = append(r.json, '}')
}

func (r *propertyReader) Documents(out documents.Receiver) {
	members, end, err := jsonscan.New().Object(r.json, 0)
	if err != nil {
		out.Fault(0, err.Error(), "")
		return
	}
	for at, url := range r.media {
		out.Media(at, url)
	}
	out.Document(documents.Document{End: end, Line: 1, Members: members})
}

func (r *propertyReader) JSON() []byte { return r.json }

func (r *propertyReader) Place(offset int) (line, col int) {
	for line < len(r.starts) && r.starts[line] <= offset {
		line++
	}
	return max(line, 1), 1
}

// withProperties adds the format of propertyReader.
func withProperties(t *testing.T) {
	before := documents.Formats
	t.Cleanup(func() { documents.Formats = before })
	documents.Formats = append(before[:len(before):len(before)], &documents.Format{Extensions: []string{".properties"}, NewReader: func() documents.Reader { return new(propertyReader) }})
}

// TestAnotherFormat: a row of documents.Formats and its Reader are all that a format needs. Its items
// are delivered, and diagnostics name the lines of its files.
func TestAnotherFormat(t *testing.T) {
	withProperties(t)
	const id = "Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10"
	site, diagnostics := load(t, map[string]string{"site/a.properties": `
ContentID = ` + id + `
Name = About us
TemplateName = Page
CreatedAt = 2025-01-31T09:00:00Z`}, Options{})
	if site == nil || len(site.Envs[0].Items) != 1 || site.Envs[0].Items[0].Name != "About us" {
		t.Errorf("%v: %s", site, said(diagnostics))
	}
	_, diagnostics = load(t, map[string]string{"site/a.properties": `
ContentID = ` + id + `
Name = About us
TemplateName = Page
CreatedAt = yesterday`}, Options{})
	if want := `site/a.properties:4:1: CreatedAt "yesterday" is not an RFC 3339 timestamp`; !strings.HasPrefix(said(diagnostics), want) {
		t.Errorf("got %s\nwant %s", said(diagnostics), want)
	}
}

// TestFacts: a Load with a cache reads a file again when an answer that it depends on has changed, and
// no other file. What the system says stops it.
func TestFacts(t *testing.T) {
	withProperties(t)
	about := "ContentID = " + id1 + "\nTemplateName = Page\nCreatedAt = 2025-01-31T09:00:00Z\nName = ?"
	files := map[string]string{"site/a.properties": about + "a", "site/b.properties": strings.Replace(about, id1, id2, 1) + "b"}
	tree := tree(t, files)
	names := map[string]string{"a": "Anna", "b": "Bert"}
	var asked []string
	tree.SetAnswerer("test", func(_ context.Context, q documents.Question) (string, error) {
		asked = append(asked, q.Env+"/"+q.Path+" "+q.Key)
		if names[q.Key] == "" {
			return "", errors.New("no answer")
		}
		return names[q.Key], nil
	})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cache := NewParseCache(1<<20, func() TextSink { return &kept })
	for !oldEnough(tree) {
		runtime.Gosched()
	}
	for _, step := range []struct{ name, want, asked string }{
		{"Anna", "Anna Bert", "site/a.properties a, site/b.properties b"},
		{"Anna", "Anna Bert", "site/a.properties a, site/b.properties b"},
		{"Carl", "Carl Bert", "site/a.properties a, site/a.properties a, site/b.properties b"},
		{"", "", ""},
	} {
		names["a"], asked = step.name, nil
		site, _, err := Load(context.Background(), tree, Options{Cache: cache})
		if step.name == "" {
			if err == nil || err.Error() != "no answer" {
				t.Errorf("the error is %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		items := site.Envs[0].Items
		if got := items[0].Name + " " + items[1].Name; got != step.want || strings.Join(asked, ", ") != step.asked {
			t.Errorf("got %s, want %s; asked %s, want %s", got, step.want, strings.Join(asked, ", "), step.asked)
		}
	}
}

// oldEnough reports whether the cache may keep the files of a tree.
func oldEnough(tree *source.Tree) bool {
	for i := range tree.Files {
		r, err := tree.Files[i].Open()
		if err != nil || r.Identity().Young() {
			return false
		}
		r.Close()
	}
	return true
}
