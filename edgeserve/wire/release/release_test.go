// This file tests a release's constants: names, entity tags and cache times.

package release

import (
	"crypto/sha256"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

func TestSnapshotName(t *testing.T) {
	if got := SnapshotName("Project_1", sha256.Sum256([]byte("x"))); got != "snapshots/Project_1-2d711642b726b044.snap" {
		t.Errorf("got %s", got)
	}
}

func TestETag(t *testing.T) {
	for body, want := range map[string]string{
		"":  `"47DEQpj8HBSa-_TImW-5JC"`,
		"x": `"LXEWQrcmsEQBYnyp-6wy9c"`,
	} {
		if got := ETag([]byte(body)); got != want {
			t.Errorf("%q: got %s, want %s", body, got, want)
		}
	}
}

func TestFileTime(t *testing.T) {
	for text, want := range map[string]int64{"": 1e9 + 0xe3b0c442>>3, "x": 1e9 + 0x2d711642>>3} {
		if got := FileTime(sha256.Sum256([]byte(text))); got.Unix() != want || got.Nanosecond() != 0 {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
}

func TestCacheControl(t *testing.T) {
	tests := map[Class]string{
		ClassItem:           "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
		ClassList:           "public, max-age=30, s-maxage=30, stale-if-error=86400",
		ClassSearch:         "public, max-age=0, s-maxage=30",
		ClassSnapshot:       "public, max-age=31536000, immutable",
		ClassManifest:       "no-cache",
		ErrorClass(404):     "public, max-age=10",
		ErrorClass(400):     "public, max-age=60",
		ErrorClass(405):     "no-store",
		ErrorClass(413):     "no-store",
		ErrorClass(500):     "no-store",
		ErrorClass(503):     "no-store",
		Class(-1):           "no-store",
		Classes:             "no-store",
		Class(1000):         "no-store",
		Class(0):            "no-store",
		ClassSnapshot + 100: "no-store",
	}
	for class, want := range tests {
		if got := CacheControl(class); got != want {
			t.Errorf("class %d: got %q, want %q", class, got, want)
		}
	}
	for c := range Classes {
		if value := CacheControl(c); value == "" || strings.TrimSpace(value) != value {
			t.Errorf("class %d: %q", c, value)
		}
	}
}

func TestPolicy(t *testing.T) {
	standard, none := Standard(), NoStore()
	for c := range Classes {
		if standard.CacheControl(c) != CacheControl(c) || none.CacheControl(c) != "no-store" {
			t.Errorf("class %d: %q, %q", c, standard.CacheControl(c), none.CacheControl(c))
		}
	}
	if err := standard.Validate(); err != nil {
		t.Error(err)
	}
	for value, want := range map[string]bool{
		"no-store": true, "max-age=5": true, `private="x, y", max-age=0`: true, "public,max-age=1": true,
		"": false, " no-store": false, "max-age=": false, "a b": false, "max-age=1,": false, "x\r\ny": false, "é": false, `a="x`: false,
	} {
		p := Standard()
		p[ClassSearch] = value
		if err := p.Validate(); (err == nil) != want {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestPolicySet(t *testing.T) {
	p := Standard()
	if err := p.Set("list", "max-age=1"); err != nil || p.CacheControl(ClassList) != "max-age=1" || p.CacheControl(ClassItem) != CacheControl(ClassItem) {
		t.Errorf("%v, %v", p, err)
	}
	for name, want := range map[string]string{"lists": "the classes are error, item, list", "": "not a class", "item": "not a list of directives"} {
		if err := p.Set(name, "a b"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func BenchmarkETag(b *testing.B) {
	body := make([]byte, 12<<10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		ETag(body)
	}
}

func TestFilesLink(t *testing.T) {
	if want := "/" + FilesLink + "/"; address.Root != want {
		t.Errorf("content is at %s, its files are below %s", address.Root, want)
	}
}
