// This file tests that the page on media names their kinds, and no others.

package cmd

import (
	"os"
	"regexp"
	"slices"
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
