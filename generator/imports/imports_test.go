package imports

import (
	"strings"
	"testing"

	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// parsed returns a value, for tests.
func parsed(t *testing.T, text string) *jsontree.Value {
	t.Helper()
	v, err := jsontree.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestImports shows what ids and references become.
func TestImports(t *testing.T) {
	j := &Job{system: System{Name: "cms"}}
	if a, b := j.ContentID("Entry", "x"), j.ContentID("Asset", "x"); a == b || a != j.ContentID("Entry", "x") {
		t.Error(a, b)
	}
	if got := j.ContentID("Entry", "0B6F2A58-6b0e-4c1a-9f5e-2d8f1c7e4a10"); got != "Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10" {
		t.Errorf("a UUID is not kept: %s", got)
	}
	if got := string(Reference("a", "b").Append(nil)); got != `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a","b"]}` {
		t.Error(got)
	}
	media := Media{ID: "Media_1", URL: "https://x/a.png", Extension: "png", Size: "12", Width: "", Height: "3 px"}
	if got := string(media.Reference().Append(nil)); got != `{"Type":"Reference","ReferenceType":"Media","Id":"Media_1","MediaUrl":"https://x/a.png","Extension":"png","Size":12}` {
		t.Error(got)
	}
	i := &Item{Class: "Entry", ID: "x", ContentID: "c", Name: "n", TemplateName: "t", Status: visibility.Draft, ExpiresAt: "2031-01-01T00:00:00Z", CreatedAt: "2024-01-01T00:00:00Z", Data: parsed(t, `{"b":1.0,"a":2}`)}
	if got := string(i.json("cms")); !strings.HasSuffix(got, `"Data":{"b":1.0,"a":2},"ExpiresAt":"2031-01-01T00:00:00Z","Source":{"System":"cms","Type":"Entry","ID":"x"}}`) || strings.Contains(got, "PublishedAt") {
		t.Error(got)
	}
}
