package address

import (
	"slices"
	"strings"
	"testing"
)

// TestParameters compares the table of parameters with what reads its names.
func TestParameters(t *testing.T) {
	for i := range parameters {
		if p, ok := lookup(table[i].Name); !ok || p != i || len(table[i].Name)*3 > maxEncodedName {
			t.Errorf("%s is parameter %d, found: %t", table[i].Name, p, ok)
		}
	}
	for i, p := range table {
		if p.Name == "" || len(p.Kinds) == 0 || p.InFiles && slices.Contains(p.Kinds, Item) {
			t.Errorf("row %d: %+v", i, p)
		}
		// A parameter of items is one of lists, too: one pass reads both.
		if slices.Contains(p.Kinds, Item) && !slices.Contains(p.Kinds, Contents) {
			t.Errorf("%s is a parameter of items alone", p.Name)
		}
	}
	for kind, want := range map[Kind]string{
		Contents: "searchByName searchByTemplateName status searchByCreatedBy page pageSize sort sortAsc select include Data.",
		Item:     "select include",
		ListFile: "", SavedSearch: "", Media: "",
	} {
		var names []string
		for _, p := range Parameters(kind) {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("kind %d: %s, want %s", kind, got, want)
		}
	}
}

func FuzzDataFilters(f *testing.F) {
	f.Add("Data.slug=hello-world&Data.a%26b=x%3Dy&select=Name,Data.*")
	f.Add("%44ata.x=%C3%A9&Data.y=+&Data.=")
	f.Fuzz(func(t *testing.T, query string) {
		l, err := ParseList(query, Standard)
		if err != nil {
			return
		}
		again, err := ParseList(l.Canonical(), Defaults{Sort: "Name", Asc: true, Size: 3})
		if err != nil || again != l {
			t.Fatalf("%q is %+v, its canonical form %q is %+v, %v", query, l, l.Canonical(), again, err)
		}
		if link := l.Links(Contents, 100); len(link) > maxLink {
			t.Fatalf("%q has links of %d bytes", query, len(link))
		}
		if show, err := ParseItem(query); err != nil || show != l.Show {
			t.Fatalf("%q shows %+v of lists, %+v of items, %v", query, l.Show, show, err)
		}
	})
}
