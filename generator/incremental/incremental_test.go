package incremental_test

import (
	"os"
	"path/filepath"
	"testing"

	"contentedge/generator"
)

// TestIncremental edits a folder of three items, and shows how many files the next build writes: the
// others are taken from its baseline. TestIncrementalIsFull of package generator compares the bytes with
// those of a full build.
func TestIncremental(t *testing.T) {
	const items = `
{"ContentID":"a","Name":"One","TemplateName":"Page","CreatedAt":"2024-01-03T00:00:00Z"}
{"ContentID":"b","Name":"Two","TemplateName":"Page","CreatedAt":"2024-01-02T00:00:00Z"}
{"ContentID":"c","Name":"Three","TemplateName":"Post","CreatedAt":"2024-01-01T00:00:00Z"}`
	for _, tt := range []struct {
		name, items string
		written     int
		unchanged   bool
	}{
		{
			"the same items write nothing", items,
			0, true,
		},
		{
			"nor do the same items in another order, with other white space", `
{"ContentID":"c", "Name":"Three", "TemplateName":"Post", "CreatedAt":"2024-01-01T00:00:00Z"}
{"ContentID":"b", "Name":"Two", "TemplateName":"Page", "CreatedAt":"2024-01-02T00:00:00Z"}
{"ContentID":"a", "Name":"One", "TemplateName":"Page", "CreatedAt":"2024-01-03T00:00:00Z"}`,
			0, true,
		},
		{
			"an item that changes writes its file, the list of all items and the list of its template", `
{"ContentID":"a","Name":"One","TemplateName":"Page","CreatedAt":"2024-01-03T00:00:00Z"}
{"ContentID":"b","Name":"Two","TemplateName":"Page","CreatedAt":"2024-01-02T00:00:00Z"}
{"ContentID":"c","Name":"Drei","TemplateName":"Post","CreatedAt":"2024-01-01T00:00:00Z"}`,
			3, false,
		},
		{
			"an item that is removed writes the lists that had it", `
{"ContentID":"a","Name":"One","TemplateName":"Page","CreatedAt":"2024-01-03T00:00:00Z"}
{"ContentID":"c","Name":"Three","TemplateName":"Post","CreatedAt":"2024-01-01T00:00:00Z"}`,
			2, false,
		},
		{
			"an item that moves to the front writes the lists that have it, also if it is alone in one", `
{"ContentID":"a","Name":"One","TemplateName":"Page","CreatedAt":"2024-01-03T00:00:00Z"}
{"ContentID":"b","Name":"Two","TemplateName":"Page","CreatedAt":"2024-01-02T00:00:00Z"}
{"ContentID":"c","Name":"Three","TemplateName":"Post","CreatedAt":"2024-01-04T00:00:00Z"}`,
			3, false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			content, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
			build := func(items string) *generator.Report {
				t.Helper()
				file := filepath.Join(content, "site", "items.ndjson")
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(items), 0o644); err != nil {
					t.Fatal(err)
				}
				r, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Lists: "-,template", Compress: "none", NoSync: true})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			if first := build(items); first.Written != 6 { // three items, three lists
				t.Errorf("the first build writes %d files", first.Written)
			}
			if next := build(tt.items); next.Written != tt.written || next.Unchanged != tt.unchanged {
				t.Errorf("%d files are written, unchanged %t; want %d, %t", next.Written, next.Unchanged, tt.written, tt.unchanged)
			}
		})
	}
}
