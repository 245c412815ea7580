// These tests pull items that name media files of their origin.

package pull_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

// picture is a media file of an origin.
type picture struct{ text, address, name string }

func newPicture(text string) picture {
	at := "/" + address.MediaFile(pulltest.Env, sha256.Sum256([]byte(text)), "A picture.png")
	return picture{text, at, strings.TrimPrefix(at, address.Media.Path(pulltest.Env, ""))}
}

func referenceTo(url string) string {
	return fmt.Sprintf(`{"Type":"Reference","ReferenceType":"Media","MediaUrl":%q,"AltText":"x","Size":3}`, url)
}

// withPictures makes items that name one file in a reference and another one in a text.
func withPictures(o *pulltest.Origin, inReference, inText picture) {
	o.Files = map[string]string{inReference.address: inReference.text, inText.address: inText.text}
	o.Put(pulltest.Sample(1).WithData(`{"image":` + referenceTo(inReference.address) + `}`))
	o.Put(pulltest.Sample(2).WithData(`{"html":"<img src=\"` + inText.address + `\" srcset='` + inText.address + ` 2x'>"}`))
}

func (b *bench) run() *pull.Report {
	b.t.Helper()
	r, err := b.puller.Run(b.t.Context())
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.origin.Log())
	}
	return r
}

// has checks the media files of a mirror.
func (b *bench) has(files ...picture) {
	b.t.Helper()
	var got, want []string
	_ = filepath.WalkDir(b.path(pull.MediaDir), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(b.path(pull.MediaDir), path)
			got = append(got, name+" "+string(text))
		}
		return nil
	})
	for _, f := range files {
		want = append(want, f.name+" "+f.text)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("there are %q, not %q\n%s", got, want, b.origin.Log())
	}
}

func TestMediaOfTheOrigin(t *testing.T) {
	one, two := newPicture("one"), newPicture("two")
	start(t, 9, func(o *pulltest.Origin, c *pull.Config) { withPictures(o, one, two) }, func(b *bench) {
		b.run()
		b.has()
		want := strings.NewReplacer(`"`+one.address, `"`+pulltest.URL+one.address, `"`+two.address, `"`+pulltest.URL+two.address, `'`+two.address, `'`+pulltest.URL+two.address)
		if got := b.mirror(); got != want.Replace(b.origin.Newest().Mirror()) || strings.Count(got, pulltest.URL) != 3 {
			t.Errorf("the mirror is %s", got)
		}
		if r := b.run(); !r.Unchanged {
			t.Errorf("%+v", r)
		}
	})
}

func TestMediaBesideTheMirror(t *testing.T) {
	one, two, three := newPicture("one"), newPicture("two"), newPicture("three")
	start(t, 9, func(o *pulltest.Origin, c *pull.Config) {
		withPictures(o, one, two)
		o.Files[three.address] = three.text
		c.Media = true
	}, func(b *bench) {
		local := func(p picture) string { return referenceTo("./" + pull.MediaDir + "/" + p.name) }
		r := b.run()
		b.has(one)
		if got := b.mirror(); !strings.Contains(got, local(one)) || strings.Count(got, pulltest.URL+two.address) != 2 || r.Media != 1 || r.Fetched != 1 {
			t.Errorf("%+v\n%s", r, got)
		}
		if r = b.run(); !r.Unchanged {
			t.Errorf("%+v", r)
		}
		b.origin.Put(pulltest.Sample(1).WithData(`{"image":[` + referenceTo(one.address) + `,` + referenceTo(three.address) + `]}`))
		if r = b.run(); r.Changed != 1 || r.Media != 2 || r.Fetched != 1 {
			t.Errorf("another file: %+v", r)
		}
		b.has(one, three)
		b.write(pull.MediaDir+"/own.png", "a file of somebody else")
		b.origin.Put(pulltest.Sample(1).WithData(`{"image":` + referenceTo(three.address) + `}`))
		b.run()
		b.has(three, picture{text: "a file of somebody else", name: "own.png"})
		_ = os.Remove(b.path(pull.MediaDir + "/own.png"))

		b.write(pull.MediaDir+"/"+three.name, "damaged")
		b.config.Full = true
		b.restart()
		if r = b.run(); r.Fetched != 1 {
			t.Errorf("a damaged file: %+v", r)
		}
		b.has(three)
		b.config.Media = false
		b.restart()
		b.run()
		b.has()
		if got := b.mirror(); !strings.Contains(got, referenceTo(pulltest.URL+three.address)) || exists(b.path(pull.MediaDir)) {
			t.Errorf("without media: %s", got)
		}
	})
}

// A file that is wrong, or does not come, leaves the old mirror.
// TestForeignPaths: an origin names no file of the content folder but those that a pull fetches.
func TestForeignPaths(t *testing.T) {
	for _, media := range []bool{false, true} {
		for url, want := range map[string]string{
			"./secret.png": "/secret.png", "../site/secret.png": "/site/secret.png", "./pulled-media/../secret.png": "/secret.png",
			"./pulled-media/00/x.png": "/pulled-media/00/x.png", "./a/./secret.png?x#y": "/a/secret.png?x#y", `.\/secret.png`: "/secret.png", `\u002e/secret.png`: "/secret.png",
		} {
			start(t, 2, func(o *pulltest.Origin, c *pull.Config) {
				c.Media = media
				o.Put(pulltest.Sample(1).WithData(`{"image":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"` + url + `"}}`))
			}, func(b *bench) {
				b.run()
				if got := b.mirror(); !strings.Contains(got, `"MediaUrl":"`+pulltest.URL+want+`"`) {
					t.Errorf("%s, media %t: %s", url, media, got)
				}
			})
		}
	}
}

func TestFaultsOfMedia(t *testing.T) {
	one, two := newPicture("one"), newPicture("two")
	onFiles := func(f pulltest.Fault) pulltest.Step { return pulltest.Always(f.Only(pulltest.File)) }
	for _, tt := range []struct {
		name  string
		fault pulltest.Step
		want  string
	}{
		{"other bytes", onFiles(pulltest.Body("other", "image/png", "other")), "the file has other bytes than its address says"},
		{"compressed", onFiles(pulltest.Fault{Do: func(x *pulltest.Exchange) { x.Header.Set("Content-Encoding", "gzip") }}), "the file came compressed"},
		{"an error", onFiles(pulltest.Status(500)), "500 Internal Server Error"},
		{"a cut body", onFiles(pulltest.Cut(false)), "ends in the middle"},
		{"a redirect", onFiles(pulltest.Redirect("http://other.example{path}")), "the redirect to http://other.example leaves the host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, 9, func(o *pulltest.Origin, c *pull.Config) {
				withPictures(o, one, two)
				c.Media = true
			}, func(b *bench) {
				b.origin.Play(tt.fault)
				b.fails(tt.want)
				b.origin.Play()
				b.run()
				b.has(one)
			})
		})
	}
	start(t, 9, func(o *pulltest.Origin, c *pull.Config) {
		withPictures(o, one, two)
		delete(o.Files, one.address)
		c.Media = true
	}, func(b *bench) {
		if r := b.run(); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the origin lacks 1 media file that its items name, the first is "+one.name) {
			t.Errorf("a missing file: %+v", r)
		}
	})
}
