// These tests read plans as their users do: which lists, which documents on which
// page, and which values get none.

package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/model"
)

// item makes an item from "id template status creator day".
func item(line string) model.Item {
	f := strings.Split(line, " ")
	it := model.Item{ContentID: f[0], Name: "N" + f[0], Labels: &model.Labels{TemplateName: f[1], Status: f[2], CreatedBy: f[3]}}
	fmt.Sscan(f[4], &it.CreatedAt)
	it.UpdatedBy, it.PublishedBy, it.TemplateID = "u"+f[0], "p"+f[0], "t"+f[1]
	return it
}

func env(lines ...string) *model.Env {
	e := &model.Env{ID: "demo"}
	for _, l := range lines {
		e.Items = append(e.Items, item(l))
	}
	return e
}

var site = env(
	"a Page Published ann 3",
	"b Page Draft bob 5",
	"c Post Published ann 5",
	"d Post Published  1",
	"e Page Published bob 4",
)

func TestOrder(t *testing.T) {
	tests := []struct{ order, want string }{
		{"CreatedAt:desc", "b c e a d"},
		{"CreatedAt:asc", "d a e b c"},
		{"TemplateName:desc", "c d a b e"},
		{"TemplateName", "c d a b e"},
		{"CreatedBy:asc", "d a c b e"},
		{"UpdatedBy:desc", "e d c b a"},
		{"PublishedBy:asc", "a b c d e"},
		{"TemplateID:desc", "c d a b e"},
		{"UpdatedAt:asc", "a b c d e"},
		{"ContentID:desc", "e d c b a"},
	}
	for _, tt := range tests {
		t.Run(tt.order, func(t *testing.T) {
			d, err := ParseOrder(tt.order)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range Order(site, address.Defaults{Sort: d.Sort, Asc: d.Asc}) {
				got = append(got, site.Items[i].ContentID)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestParseDefaultOrder(t *testing.T) {
	for text, want := range map[string]Direction{
		"Name": {"Name", false}, "Name:asc": {"Name", true}, "Data.a.b": {"Data.a.b", false}, "Data.a:asc": {"Data.a", true},
		"Data.og:title": {"Data.og:title", false}, "Data.og:title:desc": {"Data.og:title", false}, "Data.a:up": {"Data.a:up", false},
		"Data.a:desc:asc": {"Data.a:desc", true}, "Data.a:asc:desc": {"Data.a:asc", false},
	} {
		if d, err := ParseDefaultOrder(text); err != nil || d != want {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "Data", "Data.", "data.a", "Title", "Name:up"} {
		if d, err := ParseDefaultOrder(text); err == nil {
			t.Errorf("%s: %+v", text, d)
		}
	}
}

func TestParseOrderRefuses(t *testing.T) {
	for _, s := range []string{"", "Data", "Data.title", "createdat", "Name:up", "Name:", "Name:asc:"} {
		if _, err := ParseOrder(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

// pages yields every page of a plan.
func pages(p *Env) iter.Seq[Page] {
	return func(yield func(Page) bool) {
		for i := range p.Families {
			for page := range p.Families[i].Pages() {
				if !yield(page) {
					return
				}
			}
		}
	}
}

// describe writes a plan one page a line: file, documents and total.
func describe(e *model.Env, p *Env) []string {
	var out []string
	for page := range pages(p) {
		name, ok := page.Address.File(e.ID)
		if !ok {
			name = "NO FILE"
		}
		var ids []string
		for _, doc := range page.Docs {
			ids = append(ids, e.Items[p.Docs[doc]].ContentID)
		}
		name = strings.TrimPrefix(name, "cda/rest/v1/demo/contents-list/")
		out = append(out, fmt.Sprintf("%s [%s] of %d", name, strings.Join(ids, " "), page.Total))
	}
	return out
}

func options(t *testing.T, lists string, size int) Options {
	t.Helper()
	o := DefaultOptions()
	var err error
	if o.Lists, err = ParseLists(lists); err != nil {
		t.Fatal(err)
	}
	o.Defaults.Size = size
	return o
}

// TestPlan shows which page files a plan has for the items of site, or for other items. A line is a file,
// the items on it, and how many items its list has.
func TestPlan(t *testing.T) {
	tests := []struct {
		name, lists string
		size        int
		env         *model.Env
		want        []string
	}{
		{"a list of all items is cut into pages", "-", 2, site, []string{
			"sort-createdat-desc-2/page-1.json [b c] of 5",
			"sort-createdat-desc-2/page-2.json [e a] of 5",
			"sort-createdat-desc-2/page-3.json [d] of 5",
		}},
		{"no empty page follows a full one", "-", 5, site, []string{
			"sort-createdat-desc-5/page-1.json [b c e a d] of 5",
		}},
		{"a filter makes a list for each of its values", "template", 2, site, []string{
			"template-_page/sort-createdat-desc-2/page-1.json [b e] of 3",
			"template-_page/sort-createdat-desc-2/page-2.json [a] of 3",
			"template-_post/sort-createdat-desc-2/page-1.json [c d] of 2",
		}},
		{"an empty value has no list", "createdby", 10, site, []string{
			"createdby-ann/sort-createdat-desc-10/page-1.json [c a] of 2",
			"createdby-bob/sort-createdat-desc-10/page-1.json [b e] of 2",
		}},
		{"two filters make a list for each pair of values that items have", "status+template", 10, site, []string{
			"template-_page/status-_draft/sort-createdat-desc-10/page-1.json [b] of 1",
			"template-_page/status-_published/sort-createdat-desc-10/page-1.json [e a] of 2",
			"template-_post/status-_published/sort-createdat-desc-10/page-1.json [c d] of 2",
		}},
		{"values that begin alike have lists of their own", "template", 10, env("a Page P x 1", "b page P x 2", "c Pages P x 3"), []string{
			"template-_page/sort-createdat-desc-10/page-1.json [a] of 1",
			"template-_pages/sort-createdat-desc-10/page-1.json [c] of 1",
			"template-page/sort-createdat-desc-10/page-1.json [b] of 1",
		}},
		{"a value that no file name can hold has no list", "template", 10,
			env("a x\x01y P x 1", "b x\uFFFDy P x 2", "c "+strings.Repeat("x", 201)+" P x 3", "d "+strings.Repeat("x", 200)+" P x 4"), []string{
				"template-" + strings.Repeat("x", 200) + "/sort-createdat-desc-10/page-1.json [d] of 1",
			}},
		{"an environment without items has one empty page", "-,template", 10, env(), []string{
			"sort-createdat-desc-10/page-1.json [] of 0",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := describe(tt.env, New(tt.env, options(t, tt.lists, tt.size)))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDefaultPolicy(t *testing.T) {
	var got []string
	for _, f := range New(site, DefaultOptions()).Families {
		got = append(got, fmt.Sprintf("%v %d", f.Filters, len(f.Lists)))
	}
	want := []string{"[] 1", "[template] 2", "[status] 2", "[createdby] 2", "[template status] 3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseListsRefuses(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "unknown list filter"},
		{"-,author", `unknown list filter "author"`},
		{"template,template", "named twice"},
		{"template+status,status+template", "named twice"},
		{"status+status", "named twice"},
		{"-+status", "unknown list filter"},
	}
	for _, tt := range tests {
		if _, err := ParseLists(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.in, err, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	sums := []Summary{
		{Families: []Figures{{Files: 3, Bytes: 1000}, {Files: 2, Bytes: 24}}},
		{Families: []Figures{{Files: 1, Bytes: 1024}}},
	}
	tests := []struct {
		name  string
		files int
		bytes int64
		want  string
	}{
		{"fits exactly", 6, 2048, ""},
		{"too many files", 5, 2048, "REFUSED: 6 list files (budget 5), 2.0 KiB (budget 2.0 KiB). Drop a filter, an order or a page size, or raise --budget-files / --budget-bytes."},
		{"too many bytes", 6, 1023, "REFUSED: 6 list files (budget 6), 2.0 KiB (budget 1023 B). Drop a filter, an order or a page size, or raise --budget-files / --budget-bytes."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{BudgetFiles: tt.files, BudgetBytes: tt.bytes}
			got := ""
			if err := o.CheckLimits(sums); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
