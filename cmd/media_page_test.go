// This file tests that the page on media names their kinds, and no others, and how long a client waits for one.

package cmd

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	releases "contentedge/edgeserve/wire/release"
)

func TestMediaPage(t *testing.T) {
	b, err := os.ReadFile("../generator/MEDIA.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	_, table, _ := strings.Cut(page, "| kind | extensions |")
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	for _, word := range regexp.MustCompile("`[a-z0-9]+`").FindAllString(table, -1) {
		named = append(named, strings.Trim(word, "`"))
	}
	slices.Sort(named)
	if want := address.MediaExtensions(); !slices.Equal(named, want) {
		t.Errorf("the page names the extensions %q, the table has %q", named, want)
	}
	for _, text := range append([]string{"`" + releases.MediaPolicy + "`", "`" + releases.CacheControl(releases.ClassMedia) + "`"}, releases.DownloadExtensions()...) {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
}

// TestMediaWait: a node says that a file takes long before the web servers before it give up.
func TestMediaWait(t *testing.T) {
	seconds := func(file, pattern string) int {
		t.Helper()
		b, err := os.ReadFile(file)
		found := regexp.MustCompile(pattern).FindSubmatch(b)
		if err != nil || found == nil {
			t.Fatalf("%s: no %s, %v", file, pattern, err)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	wait := seconds("../edgeserve/serve/follow/media.go", `mediaWait = (\d+) \* time\.Second`)
	if page := seconds("../generator/MEDIA.md", `does not begin within (\d+) seconds`); page != wait {
		t.Errorf("the page says %d seconds, the node waits %d", page, wait)
	}
	for file, pattern := range map[string]string{"nginx.conf": `proxy_read_timeout (\d+)s`, "contentedge.caddy": `response_header_timeout (\d+)s`} {
		if most := seconds("../generator/hosts/template/"+file, pattern); wait+1 >= most {
			t.Errorf("the node waits %d seconds, %s %d", wait, file, most)
		}
	}
}
