package edgeserve

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

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
