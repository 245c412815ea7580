package address

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestMedia(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	const dir = "cda/media/site/2d711642b726b04401627ca9fbac32f5/"
	for name, want := range map[string]string{
		"a.png": "a.png", "A b.JPG": "a-b.jpg", "Übersicht  (2).webp": "bersicht-2.webp", "日本.pdf": "file.pdf", ".svg": "file.svg",
		"a.min.svg": "a-min.svg", "__x__.gif": "x.gif", "--.mp4": "file.mp4", "con.png": "file-con.png", "CON.png": "file-con.png",
		"../../etc/x.png": "etc-x.png", "a\x00b\n.png": "a-b.png", "a%2e.png": "a-2e.png", strings.Repeat("a-", 99) + ".png": strings.Repeat("a-", 31) + "a.png",
	} {
		got := MediaFile("site", sum, name)
		if got != dir+want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		if !validMedia(strings.TrimPrefix(got, "cda/media/site/")) || !MediaDigest(got, sum) || !MediaDigest("/"+got, sum) {
			t.Errorf("%s is no name of a media file", got)
		}
		if again := mediaName(mediaName(name)); again != want {
			t.Errorf("%q: the name of a name is %s", name, again)
		}
		if MediaType(name) == "" || MediaType(got) != MediaType(name) {
			t.Errorf("%q: types %q and %q", name, MediaType(name), MediaType(got))
		}
	}
	for _, name := range []string{"", "a", "png", "a.html", "a.htm", "a.xhtml", "a.xml", "a.js", "a.json", "a.md", "a.png.gz", "a.png/", "a.", "a.png ", "a.svgz"} {
		if got := MediaType(name); got != "" {
			t.Errorf("%q is of type %s", name, got)
		}
	}
	digest := strings.Repeat("0a", 16)
	for _, s := range []string{
		"", digest, digest + "/", digest + "/a", digest + "/a.html", digest + "/.png", digest + "/A.png", digest + "/a.PNG", digest + "/a.b.png", digest + "/_a.png",
		digest + "/a/b.png", digest + "/a.png.gz", digest[1:] + "/a.png", digest + "0/a.png", strings.ToUpper(digest) + "/a.png", "../" + digest + "/a.png",
		digest + "/" + strings.Repeat("a", 70) + ".png", digest + "/a%2e.png", digest + "/a.png/", digest + "/a b.png",
	} {
		if validMedia(s) {
			t.Errorf("%q is the name of a media file", s)
		}
	}
	r, ok := ParsePath("/" + dir + "a.png")
	if want := (Route{Kind: Media, Env: "site", ID: "2d711642b726b04401627ca9fbac32f5/a.png"}); !ok || r != want || MediaPath(r) != dir+"a.png" || MediaTag(r) != `"2d711642b726b04401627ca9fbac32f5"` {
		t.Errorf("%+v, %t", r, ok)
	}
	for _, path := range []string{"/cda/media", "/cda/media/", "/cda/media/site", "/cda/media/site/", "/cda/media/_s/" + digest + "/a.png", "/cda/media/a,b/" + digest + "/a.png",
		"/cda/rest/v1/site/media/" + digest + "/a.png", "/cda/media//" + digest + "/a.png", "/cda/media/site/" + digest + "/a.png?x"} {
		if r, ok := ParsePath(path); ok {
			t.Errorf("%s is parsed as %+v", path, r)
		}
	}
	other := sha256.Sum256([]byte("y"))
	if MediaDigest(dir+"a.png", other) || MediaDigest("a.png", sum) || MediaFile("site", other, "a.png") == MediaFile("site", sum, "a.png") {
		t.Error("the digest is not that of the bytes")
	}
}
