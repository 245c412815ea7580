package delivery

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
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

// Link is there whole or not at all: a client that follows it must not take a part of the
// pages for all of them.
func TestLongLinksAreLeftOut(t *testing.T) {
	for n, want := range map[int]bool{1: true, 100: true, 150: true, 300: false, address.MaxValue: false} {
		l, err := address.ParseList("searchByName="+strings.Repeat("a", n)+"&page=2", address.Standard)
		if err != nil {
			t.Fatal(err)
		}
		links := string(queryForm.links(l, 50))
		if got := strings.Count(links, "rel="); want && got != 4 || !want && links != "" || len(links) > maxLink {
			t.Errorf("%d letters: %d links in %d bytes, want them: %t", n, got, len(links), want)
		}
	}
}
