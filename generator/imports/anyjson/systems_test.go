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

// TestSystems imports a sample of each system as the program's mapping file says. testdata has the items.
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

// TestOtherSystems: the mapping file of a system makes items of the files of another one, or says what is wrong. Nothing
// that a mark calls a draft becomes public.
func TestOtherSystems(t *testing.T) {
	for _, of := range systemTests {
		for _, tt := range systemTests {
			if of.options.CSV != tt.options.CSV || of.name == tt.name {
				continue
			}
			m, err := imports.ReadMapping(of.name, mappings)
			if err != nil {
				t.Fatal(err)
			}
			r := importstest.Try(t, System(tt.options), sample(t, tt.name), imports.Options{Mapping: m, Date: time.Unix(1, 0)})
			if r.Err != nil {
				continue
			}
			r.OK()
			for _, item := range r.Items("") {
				if word := item.Get("Data", "status").Str(); visibility.NotPublic(word) && item.Get(address.FieldStatus).Str() == visibility.Published {
					t.Errorf("%s of %s: a %s became Published", tt.name, of.name, word)
				}
			}
		}
	}
}

// TestColumnsOfShopify: a mark in any case and at any place of the rows keeps a product back, or is an error.
func TestColumnsOfShopify(t *testing.T) {
	head := "Handle,Title,Variant Price,Status,Published,Published At\n"
	for rows, want := range map[string]string{
		"a,A,1,active,true,\na,,2,,,\n":           "Published",
		"a,A,1,Draft,true,\na,,2,,,\n":            "Draft",
		"a,A,1,draft,,\na,,2,DRAFT,,\n":           "error",
		"a,A,1,active,true,\na,,2,draft,,\n":      "error",
		"a,A,1,,,\na,,2,draft,,\n":                "error",
		"a,A,1,active,TRUE,\na,,2,active,true,\n": "error",
		"a,A,1,active,false,\na,,2,active,,\n":    "Draft",
		"a,A,1,,,\na,,2,,,\n":                     "Published",
		"a,A,1,ARCHIVED,true,\n":                  "Archived",
		"a,A,1,unlisted,true,\n":                  "Private",
	} {
		r := importstest.Try(t, System(Options{CSV: true}), map[string]string{"p.csv": head + rows}, imports.Options{Date: time.Unix(1, 0)})
		if want == "error" {
			r.Fails("different values in the column")
			continue
		}
		r.OK().Is(r.Named("A"), "Status", `"`+want+`"`)
	}
}
