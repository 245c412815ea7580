package address

import (
	"strconv"
	"strings"
	"testing"
)

// TestAddress shows the file of a list in a release. TestParseList shows the list that a query string
// requests, and TestParsePath the resource that a path names.
func TestAddress(t *testing.T) {
	const root = "cda/rest/v1/Project_1/contents-list/"
	tests := []struct {
		name string
		list List
		file string // "": no file
	}{
		{"the standard list", with(func(*List) {}), "sort-createdat-desc-10/page-1.json"},
		{"an order, a size and a page are in the name", List{Sort: "Name", Asc: true, Page: 7, Size: 50}, "sort-name-asc-50/page-7.json"},
		{"a filter is a folder; letters that two file systems may confuse are escaped", with(func(l *List) { l.Template = "Common Page" }), "template-_common-_page/sort-createdat-desc-10/page-1.json"},
		{"several filters come in a fixed order", List{Name: "n", Template: "t", Status: "s", CreatedBy: "c", Sort: "ContentID", Page: 1, Size: 10},
			"name-n/template-t/status-s/createdby-c/sort-contentid-desc-10/page-1.json"},
		{"the last page that has a file name", with(func(l *List) { l.Page = 9999999 }), "sort-createdat-desc-10/page-9999999.json"},
		{"the largest page size", with(func(l *List) { l.Size = MaxSize }), "sort-createdat-desc-" + strconv.Itoa(MaxSize) + "/page-1.json"},
		{"a list that is sorted by a path of Data has no file", with(func(l *List) { l.Sort = "Data.title" }), ""},
		{"nor has one sorted by Data", with(func(l *List) { l.Sort = "Data" }), ""},
		{"a page beyond the last name has no file", with(func(l *List) { l.Page = 10000000 }), ""},
		{"pages begin with 1", with(func(l *List) { l.Page = 0 }), ""},
		{"an empty page has no file", with(func(l *List) { l.Size = 0 }), ""},
		{"nor has one beyond the largest size", with(func(l *List) { l.Size = MaxSize + 1 }), ""},
		{"a value with a control byte has no file", with(func(l *List) { l.Status = "a\tb" }), ""},
		{"nor has one with DEL", with(func(l *List) { l.Status = "a\x7f" }), ""},
		{"nor has one with U+FFFD, which stands for what is not UTF-8", with(func(l *List) { l.Name = "\uFFFD" }), ""},
		{"nor has one that is not UTF-8", with(func(l *List) { l.Name = "\xff" }), ""},
		{"a value whose name is too long has no file", with(func(l *List) { l.Name = strings.Repeat("m", 201) }), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := test.file
			if want != "" {
				want = root + want
			}
			if got, ok := test.list.File(testEnv); got != want || ok != (want != "") {
				t.Errorf("got %q, %t; want %q", got, ok, want)
			}
		})
	}
	if file, ok := with(func(*List) {}).File("../x"); ok {
		t.Errorf("an environment's id led to %q", file)
	}
}
