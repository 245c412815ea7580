package items

import (
	"strings"
	"testing"
)

// TestLists: a text of a member that a rule calls a list is a list, in each format. Lists and other values stay.
func TestLists(t *testing.T) {
	for _, tt := range []struct{ separator, text, want string }{
		{" ", "a b  c ", `["a","b","c"]`},
		{",", "a, b,c", `["a","b","c"]`},
		{",", "a,,b", `["a","","b"]`},
		{"|", " ", `[]`},
		{"|", "one", `["one"]`},
		{"und", "a und b", `["a","b"]`},
	} {
		for path, file := range spelled("tags", tt.text, false) {
			settings := `sources: [{lists: {tags: "` + tt.separator + `"}, dates: [file], id: {from: code}}]`
			if !strings.HasSuffix(path, ".csv") {
				settings = strings.Replace(settings, ", id: {from: code}", "", 1)
			}
			r := read(t, settings, path, file, false)
			if len(r.items) != 1 || field(r.items[0], "tags") != tt.want {
				t.Errorf("%s %q: %s %s, want %s", path, file, r.items, r.said, tt.want)
			}
		}
	}
	const settings = `sources: [{lists: {tags: " ", a.b: ",", refs: ","}, dates: [file], references: {refs: people}}]`
	for member, want := range map[string]string{
		"tags: [a b, c]": `["a b","c"]`, "tags: 7": "7", "tags:": "null", "tags: {b: x y}": `{"b":"x y"}`, "a: {b: 'x,y'}": `{"b":["x","y"]}`, "b: x,y": `"x,y"`,
		"refs: jane, bob": `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_jane","Content_bob"]}`,
	} {
		r := read(t, settings, "a.md", "---\n"+member+"\nlast: x\n---\n", false)
		name, _, _ := strings.Cut(member, ":")
		if len(r.items) != 1 || field(r.items[0], name) != want || field(r.items[0], "last") != `"x"` {
			t.Errorf("%s: %s %s, want %s", member, r.items, r.said, want)
		}
	}
	// what is wrong with a value is said at its place
	r := read(t, settings, "a.md", "---\ntitle: A\nrefs: jane, twins\n---\n", false)
	if len(r.items) > 0 || !strings.HasPrefix(r.said[len(r.said)-1], "3:7 error: ") {
		t.Error(r.items, r.said)
	}
}
