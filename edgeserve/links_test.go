package edgeserve

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/address"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		query       string
		form        form
		total, last int
		want        string // rel=page, in order
	}{
		{"", queryForm, 5, 3, "first=1 next=2 last=3"},
		{"page=2", queryForm, 5, 3, "first=1 prev=1 next=3 last=3"},
		{"page=3", queryForm, 5, 3, "first=1 prev=2 last=3"},
		{"page=4", queryForm, 5, 3, "first=1 prev=3 last=3"},
		{"page=999999999", queryForm, 5, 3, "first=1 prev=3 last=3"},
		{"", queryForm, 0, 1, "first=1 last=1"},
		{"page=7", queryForm, 0, 1, "first=1 prev=1 last=1"},
		{"", queryForm, 2, 1, "first=1 last=1"},
		{"page=2", pathForm, 6, 3, "first=1 prev=1 next=3 last=3"},
	} {
		l, err := address.ParseList(c.query+"&searchByName=a%20b%3E&utm_source=x&sort=Name", address.Defaults{Sort: "CreatedAt", Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		value := string(c.form.links(l, c.total))
		var got []string
		for _, m := range regexp.MustCompile(`<([^>]*)>; rel="(\w+)"(?:, |$)`).FindAllStringSubmatch(value, -1) {
			page := 0
			if c.form == pathForm {
				_, err = fmt.Sscanf(m[1], "page-%d.json", &page)
			} else {
				var to address.List
				to, err = address.ParseList(strings.TrimPrefix(m[1], "?"), address.Defaults{Sort: "Status", Size: 99})
				page, to.Page = to.Page, l.Page
				if to != l {
					t.Errorf("%s leads to %+v from %+v", m[1], to, l)
				}
			}
			if err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
			got = append(got, fmt.Sprintf("%s=%d", m[2], page))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q of %d: %s, want %s", c.query, c.total, value, c.want)
		}
	}
}

// Following next from the first page leads through all items, whether a page is a file
// or not, in both forms; searches have no links.
func TestFollowLinks(t *testing.T) {
	_, addr, _ := startSite(t, site)
	next := regexp.MustCompile(`<([^>]*)>; rel="next"`)
	for _, start := range []string{listRoot, pageRoot + "sort-createdat-desc-2/page-1.json"} {
		var pages []string
		for target := start; target != ""; {
			a, body := ask(t, addr, "GET", target, "", "")
			pages = append(pages, body)
			m := next.FindStringSubmatch(a.Header.Get("Link"))
			switch {
			case m == nil:
				target = ""
			case strings.HasPrefix(m[1], "?"):
				target = listRoot + m[1]
			default:
				target = target[:strings.LastIndexByte(target, '/')+1] + m[1]
			}
		}
		want := []string{site.list(5, 0, 1), site.list(5, 2, 3), site.list(5, 4)}
		if fmt.Sprint(pages) != fmt.Sprint(want) {
			t.Errorf("from %s:\n%s\nwant\n%s", start, pages, want)
		}
	}
	if a, _ := ask(t, addr, "POST", esRoot, "", ""); a.Header.Get("Link") != "" {
		t.Errorf("a search links to %s", a.Header.Get("Link"))
	}
}
