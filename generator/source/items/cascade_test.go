package items

import (
	"slices"
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// TestCascades: a mark that a page gives to the pages below it is an error at its place, and other values are not.
func TestCascades(t *testing.T) {
	const hint = " (" + cascadeHint + ")"
	for _, tt := range []struct{ path, front, want string }{
		{"a/_index.md", "cascade: {draft: true}", "3:18 error: draft of cascade is a mark for the pages below, which a build does not read from here" + hint},
		{"a/_index.md", "cascade:\n  params:\n    draft: true", "5:12 error: draft of cascade is"},
		{"a/_index.md", "Cascade: [{color: red}, {Target: {path: /x}, Params: {Draft: yes}}]", "3:62 error: Draft of Cascade is"},
		{"_index.mdx", "cascade: {build: {render: never}}", "3:27 error: build.render of cascade is"},
		{"a/index.md", "cascade: {status: Accepted}", "3:19 error: status of cascade is"},
		{"a/index.markdown", "cascade: {draft: perhaps}", "3:18 error: draft of cascade is"},
		{"a/_index.md", "cascade: {published: 2031-01-02}", "3:22 error: published of cascade is"},
		{"a/_index.md", "cascade: {draft: {a: b}}", "3:18 error: draft of cascade is"},
		{"a/_index.md", "cascade: {draft: false, published: true, status: published, private: '', expires: , build: {list: never}, params: 7}", ""},
		{"a/_index.md", "cascade: [a, 1, [{draft: true}], {}]", ""},
		{"a/_index.md", "cascade: draft", ""},
		{"a/_index.md", "cascade:", ""},
		{"a/page.md", "cascade: {draft: true}", ""},
		{"a/index.yaml", "cascade: {draft: true}", ""},
	} {
		text := "---\ndate: 2024-01-02\n" + tt.front + "\n---\n"
		if strings.HasSuffix(tt.path, ".yaml") {
			text = "date: 2024-01-02\n" + tt.front + "\n"
		}
		r := readMarked(t, tt.path, text)
		switch {
		case tt.want == "" && (len(r.items) != 1 || len(r.said) > 0):
			t.Errorf("%s %q: %d items, %q", tt.path, tt.front, len(r.items), r.said)
		case tt.want != "" && (len(r.items) > 0 || len(r.said) != 1 || !strings.HasPrefix(r.said[0], tt.want)):
			t.Errorf("%s %q: %q, want %q", tt.path, tt.front, r.said, tt.want)
		}
	}
	for _, mark := range visibility.Marks() {
		if mark.Member == visibility.Date {
			continue
		}
		value := "2031-05-06"
		if i := slices.IndexFunc(mark.Values, func(v visibility.Value) bool { return v.Status != "" }); i >= 0 {
			value = mark.Values[i].Text
		}
		outer, inner, nested := strings.Cut(mark.Member, ".")
		given := outer + ": " + value
		if nested {
			given = outer + ": {" + inner + ": " + value + "}"
		}
		if r := readMarked(t, "a/_index.md", "---\ndate: 2024-01-02\ncascade: {"+given+"}\n---\n"); len(r.items) > 0 || len(r.said) != 1 {
			t.Errorf("%s: %d items, %q", given, len(r.items), r.said)
		}
	}
}
