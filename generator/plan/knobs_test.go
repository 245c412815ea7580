// These tests turn the knobs that multiply lists or leave some out, and hold plans
// against the limits of hosts.

package plan

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

func TestShapes(t *testing.T) {
	o := options(t, "-,template", 2)
	o.Orders = []Direction{{"Name", true}, {"CreatedAt", false}, {"Name", true}}
	o.Sizes = []int{5, 2}
	want := []string{
		"sort-createdat-desc-2/page-1.json [b c] of 5", "sort-createdat-desc-2/page-2.json [e a] of 5", "sort-createdat-desc-2/page-3.json [d] of 5",
		"template-_page/sort-createdat-desc-2/page-1.json [b e] of 3", "template-_page/sort-createdat-desc-2/page-2.json [a] of 3",
		"template-_post/sort-createdat-desc-2/page-1.json [c d] of 2",
		"sort-createdat-desc-5/page-1.json [b c e a d] of 5",
		"template-_page/sort-createdat-desc-5/page-1.json [b e a] of 3",
		"template-_post/sort-createdat-desc-5/page-1.json [c d] of 2",
		"sort-name-asc-2/page-1.json [a b] of 5", "sort-name-asc-2/page-2.json [c d] of 5", "sort-name-asc-2/page-3.json [e] of 5",
		"template-_page/sort-name-asc-2/page-1.json [a b] of 3", "template-_page/sort-name-asc-2/page-2.json [e] of 3",
		"template-_post/sort-name-asc-2/page-1.json [c d] of 2",
		"sort-name-asc-5/page-1.json [a b c d e] of 5",
		"template-_page/sort-name-asc-5/page-1.json [a b e] of 3",
		"template-_post/sort-name-asc-5/page-1.json [c d] of 2",
	}
	if got := describe(site, New(site, o)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMaxPagesLeavesListsOutWhole(t *testing.T) {
	o := options(t, "-,template", 2)
	o.MaxPages = 1
	p := New(site, o)
	want := []string{"template-_post/sort-createdat-desc-2/page-1.json [c d] of 2"}
	if got := describe(site, p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.Families[0].TooDeep != 1 || p.Families[1].TooDeep != 1 {
		t.Errorf("%d and %d lists are too deep, want one each", p.Families[0].TooDeep, p.Families[1].TooDeep)
	}
}

func TestParseOrders(t *testing.T) {
	tests := []struct {
		in   string
		want string // orders, or an error's part
	}{
		{"default", ""},
		{"default,Name:asc", "Name:asc"},
		{"Name, Status:asc", "Name:desc Status:asc"},
		{"Name,", "unknown order field"},
		{"all,Name", "unknown order field"},
		{"Name:up", "unknown direction"},
	}
	for _, tt := range tests {
		got, err := ParseOrders(tt.in)
		var words []string
		for _, d := range got {
			words = append(words, d.String())
		}
		if s := strings.Join(words, " "); err == nil && s != tt.want || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %s, %v; want %s", tt.in, s, err, tt.want)
		}
	}
	if all, err := ParseOrders("all"); err != nil || len(all) != 2*len(address.ScalarFields()) {
		t.Errorf("all: %d orders, %v", len(all), err)
	}
}

func TestParseSizes(t *testing.T) {
	for in, want := range map[string][]int{"10": {10}, "20, 50": {20, 50}, strconv.Itoa(address.MaxSize): {address.MaxSize}, "": nil, "0": nil, strconv.Itoa(address.MaxSize + 1): nil, "5,": nil, "x": nil} {
		got, err := ParseSizes(in)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: got %v, %v; want %v", in, got, err, want)
		}
	}
}

func TestValuesAreCounted(t *testing.T) {
	got := New(site, options(t, "-,createdby,template+status", 2)).values(site)
	if want := []FilterValues{{"template", 2}, {"status", 2}, {"createdby", 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLimitsLimits(t *testing.T) {
	sum := Summary{ID: "demo", Items: 30, Precompressed: 20, Families: []Figures{{Files: 9}}, Values: []FilterValues{{"status", 2}, {"createdby", 7}},
		Largest: Extreme{"cda/big.json", 500}, Fullest: Extreme{"cda/contents", 30}, Longest: Extreme{"cda/long.json", 90}}
	tests := []struct {
		name      string
		maxValues int
		target    Target
		want      string
	}{
		{"no limits", 0, Target{Name: "h"}, ""},
		{"all limits reached", 7, Target{Name: "h", Files: 61, FileBytes: 500, DirFiles: 30, NameBytes: 90, Values: 9}, ""},
		{"values of a filter", 6, Target{}, "REFUSED: environment demo: the filter createdby has 7 values (--max-values 6)"},
		{"files", 0, Target{Name: "h", Files: 40}, "REFUSED: h holds at most 40 files, and the release could have 61. Drop a filter"},
		{"precompressed files", 0, Target{Name: "h", Files: 41}, "REFUSED: h holds at most 41 files, and the release could have 61. Leave out precompressed files with --compress none."},
		{"only items", 0, Target{Name: "h", Files: 31}, "REFUSED: h holds at most 31 files, and the release could have 61. Even without other files its items are too many"},
		{"a file", 0, Target{Name: "h", FileBytes: 499}, "REFUSED: h holds at most 499 bytes in a file, and cda/big.json could have 500."},
		{"a directory", 0, Target{Name: "h", DirFiles: 29}, "REFUSED: h holds at most 29 files in a directory, and cda/contents could have 30."},
		{"a name", 0, Target{Name: "h", NameBytes: 89}, "REFUSED: h holds at most 89 bytes in a file's name, and cda/long.json could have 90."},
		{"rows", 0, Target{Name: "h", Values: 8}, "REFUSED: h holds at most 8 filter values in the tables of its configuration, and the release could have 9."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := DefaultOptions()
			o.MaxValues, o.Target = tt.maxValues, &tt.target
			err := o.CheckLimits([]Summary{sum})
			if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, new(*LimitError)) || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	for _, name := range TargetNames() {
		if target, err := FindTarget(name); err != nil || target.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FindTarget("geocities"); err == nil || !strings.Contains(err.Error(), "netlify") {
		t.Errorf("an unknown host: %v", err)
	}
}

func TestExtremes(t *testing.T) {
	s := Summary{ID: "demo", codings: 2}
	s.NoteItem("a", 1030)
	s.NoteItem("bb", 5)
	s.NotePage(Page{Address: address.List{Sort: "Name", Page: 3, Size: 1}, Total: 3}, 1200)
	if s.Items != 2 || s.ItemBytes != 1035 || s.Precompressed != 4 {
		t.Errorf("%d items, %d bytes, %d precompressed", s.Items, s.ItemBytes, s.Precompressed)
	}
	page := "cda/rest/v1/demo/contents-list/sort-name-desc-1/page-3.json"
	want := [3]Extreme{{page, 1200}, {"cda/rest/v1/demo/contents-list/sort-name-desc-1", 9}, {page, int64(len(page))}}
	if got := [3]Extreme{s.Largest, s.Fullest, s.Longest}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLimitsOfSearches(t *testing.T) {
	envs := []SearchFigures{{ID: "a", Bytes: 30 << 20}, {ID: "b", Bytes: 10 << 20}}
	for _, tt := range []struct {
		memory int64
		ok     bool
	}{{80 << 20, true}, {80<<20 - 1, false}} {
		target := &Target{Name: "h", Memory: tt.memory}
		if err := target.CheckSearch(envs); (err == nil) != tt.ok || err != nil && !strings.HasPrefix(err.Error(), "REFUSED: h holds at most 83886079 bytes of memory, and a program with the snapshots of all environments could have 83886080.") {
			t.Errorf("%d: %v", tt.memory, err)
		}
	}
	if (&Target{}).Searches() || (*Target)(nil).Searches() {
		t.Error("a host without programs searches")
	}
}
