package address

import (
	"strings"
	"testing"
)

func TestSavedFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		page int
		file string
	}{
		{"new", 1, "cda/rest/v1/site/searches/new.json"},
		{"new", 2, "cda/rest/v1/site/searches/new.2.json"},
		{"New-2_x", 1000, "cda/rest/v1/site/searches/New-2_x.1000.json"},
		{"2", 1, "cda/rest/v1/site/searches/2.json"},
	} {
		if got := SavedFile("site", tt.name, tt.page); got != tt.file {
			t.Errorf("%s, want %s", got, tt.file)
		}
		r, ok := ParsePath("/" + tt.file)
		if want := (Route{Kind: SavedSearch, Env: "site", ID: tt.name, Page: tt.page}); !ok || r != want {
			t.Errorf("%s: %+v, %v", tt.file, r, ok)
		}
	}
	for _, file := range []string{
		"", "new", "new.json/", ".json", "_new.json", "new.1.json", "new.02.json", "new.0.json", "new.1001.json", "new.2.3.json", "new.x.json",
		"new.json.gz", "n%65w.json", "a/b.json", "..json", "new.2", strings.Repeat("a", 65) + ".json", "new.-2.json", "new.+2.json",
	} {
		if r, ok := ParsePath("/cda/rest/v1/site/searches/" + file); ok {
			t.Errorf("%s is parsed as %+v", file, r)
		}
	}
	if _, ok := ParsePath("/cda/rest/v1/_site/searches/new.json"); ok {
		t.Error("an environment that cannot be is parsed")
	}
}
