package items

import (
	"slices"
	"testing"
)

// TestTagsAreCounted warns of tags of template languages, each name once, and not of code.
func TestTagsAreCounted(t *testing.T) {
	r := read(t, "", "a.md", "---\ntitle: A\ndate: 2024-01-31\n---\n`{{< code >}}`\n\nx {{< figure src=\"a.txt\" >}} {{< figure >}}\n{% include x.html %}", false)
	want := []string{`7:3 warning: html shows the tag "figure" of a template language as text`, `8:1 warning: html shows the tag "include" of a template language as text`}
	if !slices.Equal(r.said, want) {
		t.Errorf("warnings %q, want %q", r.said, want)
	}
	if r := read(t, "sources:\n  - files: '*.md'\n    body: {html: false}", "a.md", "---\ndate: 2024-01-31\n---\n{{< x >}}", false); len(r.said) > 0 {
		t.Errorf("without html: %q", r.said)
	}
}
