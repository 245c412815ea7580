// This file tests the first screen of much content, and draws the pictures of the README.

package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Bounds of the first screen on manyItems.
const (
	manyItems   = 38_404
	firstScreen = time.Second
	firstBytes  = 300 << 10
)

// testFirstScreen: much content shows as fast as little, and is not sent.
func testFirstScreen(t *testing.T, s *suite) {
	var lines strings.Builder
	for n := range manyItems {
		fmt.Fprintf(&lines, `{"ContentID":"%s","Name":"Item %d","TemplateName":"Template %d","CreatedAt":"2026-01-01T00:00:00Z","Data":{"title":"The title of item %d","rank":%d}}`+"\n", id(n), n, n%40, n, n)
	}
	p := s.preview(t, map[string]string{"site/items.ndjson": lines.String()})
	b := s.open(t, p.base)
	begin := time.Now()
	b.goTo(p.base + "/")
	b.says("main h2", "38,404 items")
	b.says("main tr", "Template 39")
	took := time.Since(begin)
	b.mu.Lock()
	received := b.received
	b.mu.Unlock()
	t.Logf("the first screen of %d items: %v, %.1f KB", manyItems, took.Round(time.Millisecond), received/1024)
	if took > firstScreen {
		t.Errorf("the first screen took %v", took)
	}
	if received > firstBytes || received == 0 {
		t.Errorf("%.0f bytes are sent", received)
	}
	if n := b.asked("/cda/"); n > 0 {
		t.Errorf("the first screen asks %d times for items", n)
	}
	b.visit("/site/items?pageSize=10000")
	b.says(".total", "38,404 items, 1 to 10,000")
	b.says("tbody button", "Show 9,800 more")
}

// testScreenshots draws the pictures, if a directory for them is named.
func testScreenshots(t *testing.T, s *suite) {
	if screenshots == "" {
		t.Skip("CONTENTEDGE_SCREENSHOTS names no directory")
	}
	p := s.sample(t)
	b := s.open(t, p.base)
	b.size(1000, 640)
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		suffix := map[string]string{"light": "", "dark": "-dark"}[theme]
		b.picture("preview-search"+suffix, "/site/search?q=night+OR+sea&f=Data.readingMinutes%7Cgte%7C3")
		b.picture("preview-content"+suffix, "/site/items?searchByTemplateName=Author&sort=Name&sortAsc=true")
		b.picture("preview-fields"+suffix, "/site/fields?path=Data.readingMinutes")
		b.picture("preview-home"+suffix, "/")
		b.picture("preview-error"+suffix, "/site/search?q=bread+AND")
		b.picture("preview-builds"+suffix, "/-/builds")
	}
}

func (b *tab) picture(name, part string) {
	b.visit(part)
	b.wait("the fields", `!document.querySelector(".field-detail") || document.querySelector(".field-detail h3")`)
	b.shoot(name)
}
