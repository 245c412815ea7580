package address

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		query       string
		kind        Kind
		total, last int
		want        string // rel=page, in order
	}{
		{"", Contents, 5, 3, "first=1 next=2 last=3"},
		{"page=2", Contents, 5, 3, "first=1 prev=1 next=3 last=3"},
		{"page=3", Contents, 5, 3, "first=1 prev=2 last=3"},
		{"page=4", Contents, 5, 3, "first=1 prev=3 last=3"},
		{"page=999999999", Contents, 5, 3, "first=1 prev=3 last=3"},
		{"", Contents, 0, 1, "first=1 last=1"},
		{"page=7", Contents, 0, 1, "first=1 prev=1 last=1"},
		{"", Contents, 2, 1, "first=1 last=1"},
		{"page=2", ListFile, 6, 3, "first=1 prev=1 next=3 last=3"},
	} {
		l, err := ParseList(c.query+"&searchByName=a%20b%3E&utm_source=x&sort=Name", Defaults{Sort: "CreatedAt", Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		value := string(l.Links(c.kind, c.total))
		var got []string
		for _, m := range regexp.MustCompile(`<([^>]*)>; rel="(\w+)"(?:, |$)`).FindAllStringSubmatch(value, -1) {
			page := 0
			if c.kind == ListFile {
				_, err = fmt.Sscanf(m[1], "page-%d.json", &page)
			} else {
				var to List
				to, err = ParseList(strings.TrimPrefix(m[1], "?"), Defaults{Sort: "Status", Size: 99})
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

// A long Link value is left out, not cut: a client that follows links must not take some pages for
// all pages.
func TestLongLinksAreLeftOut(t *testing.T) {
	for n, want := range map[int]bool{1: true, 100: true, 150: true, 300: false, MaxValue: false} {
		l, err := ParseList("searchByName="+strings.Repeat("a", n)+"&page=2", Standard)
		if err != nil {
			t.Fatal(err)
		}
		links := string(l.Links(Contents, 50))
		if got := strings.Count(links, "rel="); want && got != 4 || !want && links != "" || len(links) > maxLink {
			t.Errorf("%d letters: %d links in %d bytes, want them: %t", n, got, len(links), want)
		}
	}
}
