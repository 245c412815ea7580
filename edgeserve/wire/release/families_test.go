package release_test

import (
	"slices"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

func TestPromises(t *testing.T) {
	m := &release.Manifest{Environments: []release.Environment{{ID: "demo", Lists: []release.Family{
		{Sort: "CreatedAt", PageSize: 2, Values: []release.FamilyValue{{TotalItems: 5}}},
		{Filters: []string{"template", "status"}, Sort: "Name", Asc: true, PageSize: 2, Values: []release.FamilyValue{
			{Filters: map[string]string{"template": "a", "status": "b"}, TotalItems: 0},
		}},
	}}}}
	for query, want := range map[string]bool{
		"": true, "page=3": true, "page=4": false, "pageSize=3": false, "sortAsc=true": false, "sort=Name": false, "status=b": false,
		"status=b&searchByTemplateName=a&sort=Name&sortAsc=true":                   true,
		"status=b&searchByTemplateName=a&sort=Name&sortAsc=true&page=2":            false,
		"status=b&searchByTemplateName=a&sort=Name&sortAsc=true&searchByName=c":    false,
		"status=b&searchByTemplateName=other&sort=Name&sortAsc=true":               false,
		"status=b&searchByTemplateName=a&sort=Name&sortAsc=true&searchByCreatedBy": true,
	} {
		l, err := address.ParseList(query, address.Defaults{Sort: "CreatedAt", Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		f := m.Family("demo", l)
		got := f != nil
		if got {
			_, got = f.Page(l)
		}
		if got != want {
			t.Errorf("%q: %v", query, got)
		}
		if m.Family("other", l) != nil {
			t.Errorf("%q: promised for another environment", query)
		}
	}
}

// A family includes lists without files: pages past the end, and values that no item has.
func TestFamily(t *testing.T) {
	m := &release.Manifest{Environments: []release.Environment{{ID: "demo", Lists: []release.Family{
		{Sort: "CreatedAt", PageSize: 2},
		{Filters: []string{"template", "status"}, Sort: "Name", Asc: true, PageSize: 2},
	}}}}
	for query, want := range map[string]int{
		"page=99": 1, "page=99&pageSize=2&sort=CreatedAt": 1, "pageSize=1": 0, "status=a": 0, "sort=Data.a": 0,
		"status=a&searchByTemplateName=b&sort=Name&sortAsc=true": 2, "status=a&sort=Name&sortAsc=true": 0,
		"status=a&searchByTemplateName=b&searchByName=c&sort=Name&sortAsc=true": 0,
	} {
		l, err := address.ParseList(query, address.Defaults{Sort: "CreatedAt", Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		lists, got := m.Environments[0].Lists, 0
		if f := m.Family("demo", l); f != nil {
			got = 1 + slices.IndexFunc(lists, func(o release.Family) bool { return o.Sort == f.Sort })
		}
		if got != want {
			t.Errorf("%q: family %d, want %d", query, got, want)
		}
	}
}
