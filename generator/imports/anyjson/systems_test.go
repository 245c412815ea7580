package anyjson

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
	"contentedge/generator/visibility"
)

var update = flag.Bool("update", false, "write testdata/systems/*.golden")

// systemTest is a system with a mapping file, and what else its import needs.
type systemTest struct {
	name      string
	options   Options
	mapping   string // a mapping file that changes the one of the system
	mediaBase string
	date      time.Time
	published string // the names of the published items
}

var systemTests = []systemTest{
	{name: "airtable", published: "Ann Baker, Rye bread"},
	{name: "airtable-csv", options: Options{CSV: true}, published: "Rye bread"},
	{name: "craft", published: "Exported, Rye bread, Spelt bread"},
	{name: "directus", mapping: "system: directus\njson: {references: {author: authors}}", mediaBase: "https://cms.example.org/assets", published: "Ann Baker, Rye bread"},
	{name: "drupal", mediaBase: "https://www.example.org", published: "Baking, Rye bread"},
	{name: "hygraph", published: "Ann Baker, Rye bread"},
	{name: "notion", published: "Rye bread"},
	{name: "payload", mediaBase: "https://cms.example.org", published: "Baking, Rye bread"},
	{name: "prismic", date: time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), published: "About, Rye bread"},
	{name: "shopify", options: Options{CSV: true}, date: time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), published: "Rye loaf"},
	{name: "storyblok", published: "Home"},
	{name: "wagtail", mediaBase: "https://www.example.org", published: "Blog, Rye bread"},
}

// TestSystems imports a sample of each system as the program's mapping file says. testdata has what comes of it.
func TestSystems(t *testing.T) {
	var names []string
	for _, tt := range systemTests {
		names = append(names, tt.name)
		t.Run(tt.name, func(t *testing.T) {
			r := importSystem(t, tt)
			r.Lacks("ann@example.org")
			var published []string
			for _, item := range r.Items("") {
				if item.Get(address.FieldStatus).Str() == visibility.Published {
					published = append(published, item.Get(address.FieldName).Str())
				}
			}
			slices.Sort(published)
			if got := strings.Join(published, ", "); got != tt.published {
				t.Errorf("published are %s, want %s", got, tt.published)
			}
			compare(t, filepath.Join("testdata", "systems", tt.name+".golden"), r.Account()+r.Result.Warned()+r.Text())
		})
	}
	if got := imports.SystemNames(mappings); !slices.Equal(got, names) {
		t.Errorf("the mapping files are those of %v; tests have %v", got, names)
	}
}

// importSystem imports the sample of a system.
func importSystem(t *testing.T, tt systemTest) *importstest.Checks {
	t.Helper()
	m, err := imports.ReadMapping(tt.name, mappings)
	if err != nil {
		t.Fatal(err)
	}
	if tt.mapping != "" {
		m = mappingOf(t, tt.mapping)
	}
	return importstest.Try(t, System(tt.options), sample(t, tt.name), imports.Options{Mapping: m, MediaBase: tt.mediaBase, Date: tt.date}).OK()
}

// sample returns the files of a system's sample.
func sample(t *testing.T, name string) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", "systems", name, "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	files := map[string]string{}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(file)] = string(text)
	}
	return files
}

// compare compares a text with a file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -run TestSystems -update writes it\n%s", file, got)
	}
}
