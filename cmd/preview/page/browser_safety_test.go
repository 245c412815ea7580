// This file tests the page with hostile content, other devices and other senses.

package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hostile is content that tries to be more than text.
func hostile() map[string]string {
	const script = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1">`
	long := strings.Repeat("long ", 200_000)
	return map[string]string{
		"site/a.json": item(1, script, script, object{
			script: script, "link": "javascript:window.hacked=1", "page": "data:text/html,<script>window.hacked=1</script>",
			"media":   object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "javascript:window.hacked=1", "AltText": script},
			"vector":  object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "data:image/svg+xml,<svg onload='window.hacked=1'/>"},
			"foreign": object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "//media.example.org/a.png"},
			"href":    "https://example.org/\"onmouseover=\"window.hacked=1", "__proto__": object{"hacked": 1}, "constructor": "x",
		}, "Status", script, "CreatedBy", script),
		"site/b.json": item(2, "\u202eright to left\u2067", "Page", object{"title": "\u202egnp.exe", "text": long}),
		"site/c.json": item(3, strings.Repeat("W", 2000), "Page", object{"list": make([]int, 5000), strings.Repeat("path", 60): 1}),
	}
}

// testHostileContent: content is text in every part, whatever it holds.
func testHostileContent(t *testing.T, s *suite) {
	p := s.preview(t, hostile())
	b := s.open(t, p.base)
	for _, part := range []string{"/", "/site/items", "/site/items?sort=Data.link", "/site/items/" + id(1), "/site/items/" + id(2), "/site/items/" + id(3), "/site/search?q=hacked", "/site/search?facet=Data.link",
		"/site/fields", "/site/fields?path=Data.link", "/-/builds", "/site/items?%3Cscript%3E=1", "/%3Cscript%3E/items", "/site/search?body=%3Cscript%3E"} {
		b.visit(part)
		b.safe(part)
	}
	b.visit("/site/items/" + id(1))
	b.click("details.raw summary")
	b.says("pre.json", `"javascript:window.hacked=1"`)
	b.safe("JSON")
	b.visit("/site/items/" + id(2))
	b.click("td button.more")
	b.wait("all of the text", `document.querySelector(".values").textContent.length > 1_000_000`)
	if eval[string](b, `document.querySelector("h1 bdi").textContent`) != "\u202eright to left\u2067" {
		t.Error("the name is not whole")
	}
	b.visit("/site/items/" + id(3))
	b.says("td button.more", "Show 4,950 more")
	p.save("site/d.json", "{\"Name\": \"<script>window.hacked=1</script>\", oops")
	b.says("#failure", "<script>window.hacked=1</script>")
	b.safe("a diagnostic")
}

// safe fails if the content has become markup or a link that runs code, or makes the page wide.
func (b *tab) safe(part string) {
	b.Helper()
	found := eval[string](b, `JSON.stringify({
		hacked: window.hacked ?? 0,
		scripts: document.querySelectorAll("main script, main iframe:not([sandbox='allow-popups allow-popups-to-escape-sandbox'][src^='/-/frame/']), main style, main object, [onerror], [onload], [onmouseover]").length,
		images: [...document.images].filter((i) => !i.src.startsWith(location.origin + "/") && !/^data:image\/(png|jpeg|gif|webp)/.test(i.src)).length,
		links: [...document.querySelectorAll("main a")].filter((a) => !/^https?:$/.test(a.protocol) || (a.origin !== location.origin && a.rel !== "noreferrer noopener")).length,
		wide: document.documentElement.scrollWidth > innerWidth && [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 150)),
	})`)
	if found != `{"hacked":0,"scripts":0,"images":0,"links":0,"wide":false}` {
		b.Errorf("%s: %s", part, found)
	}
}

// testKeyboard: everything is reached and used without a pointer, and the focus is visible.
func testKeyboard(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?sort=Name&sortAsc=true")
	focus := func(what, want string) {
		t.Helper()
		b.wait(what, `document.activeElement.matches(`+quote(want)+`)`)
		if !strings.HasPrefix(want, "main") && !eval[bool](b, `(() => { const e = document.activeElement, s = (x) => getComputedStyle(x); return s(e).outlineStyle !== "none" || (e.nextElementSibling && s(e.nextElementSibling).outlineStyle !== "none") || s(e.closest(".editor") ?? e).outlineStyle !== "none" })()`) {
			t.Errorf("%s: the focus is invisible", what)
		}
	}
	b.press(kb.Tab)
	focus("skip link", "#skip")
	b.press("\r")
	focus("the content", "main")
	b.press("/")
	focus("the box for a name", "#list-searchByName")
	b.press(kb.Escape)
	eval[bool](b, `document.querySelector(".items tbody a").focus() || true`)
	b.press(kb.ArrowDown + kb.ArrowDown)
	focus("the third item", `.items tr:nth-child(3) a`)
	b.press(kb.End + kb.ArrowUp)
	focus("the last but one", `.items tr:nth-last-child(2) a`)
	b.press(kb.Home + "\r")
	b.says("h1", "Ada Baker")
	focus("the part", "main")
	b.press("/")
	b.wait("the search", `location.hash === "#/site/search"`)
	focus("the box", "#q")
	b.press("mills/\r") // a slash in the box is a slash
	b.wait("the query", `location.hash.includes("mills%2F")`)
	b.press(kb.Tab + kb.Tab)
	focus("the field of a condition", "#c-path-0")
	b.press("a/b")
	focus("the same field after a slash", "#c-path-0")
	eval[bool](b, `document.querySelector(".area").focus() || true`)
	focus("the editor", ".area")
	b.press(kb.Tab)
	focus("no trap in the editor", "#run")
	eval[bool](b, `document.querySelector("#as-editor").focus() || true`)
	b.press(kb.ArrowLeft)
	b.says("#view", "published by now")
	focus("the switch after the build", "#as-visitor")
}

// testNarrow: in a window of 320 pixels every part fits.
func testNarrow(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.size(320, 640)
	for _, part := range parts() {
		b.visit(part)
		if wide := eval[string](b, `document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 200)).join("\n") || "the page" : ""`); wide != "" {
			t.Errorf("%s is wider than the window:\n%s", part, wide)
		}
		b.shoot("narrow" + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(part))
	}
	b.visit("/")
	b.click("#view .choice:has(#as-visitor)")
	b.says("#view", "published by now")
	b.click("#view summary")
	if eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the view's menu is wider than the window")
	}
}

// parts are addresses of every part.
func parts() []string {
	return []string{"/", "/site/items", "/site/items/" + id(1), "/site/search?q=loaf&facet=Data.tags&f=Data.rank|gte|3", "/site/search?q=loaf+AND", "/site/fields?path=Data.rank", "/site/reference", "/-/builds"}
}

// contrast finds text whose colour is too near to what is behind it (WCAG 2, AA: 4.5), and borders
// of controls and bars of charts (3).
const contrast = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgba = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
	const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((s, c, i) => s + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (el) => { for (; el; el = el.parentElement) { const c = rgba(getComputedStyle(el).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
	const bad = [];
	for (const el of document.querySelectorAll("body *")) {
		const text = [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
		if (!text || !el.checkVisibility({ opacityProperty: true }) || el.closest(".hidden, .skip, .off, textarea, .marks, .gap, :disabled")) continue;
		const [a, b] = [light(rgba(getComputedStyle(el).color)), light(behind(el))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(((a + 0.05) / (b + 0.05)).toFixed(2) + " " + el.outerHTML.slice(0, 120));
	}
	const panel = (el) => light(behind(el.parentElement));
	const near = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 3;
	for (const el of document.querySelectorAll("button:not(.plain, .primary), select, input:not([type=checkbox], [type=radio]), .menu > summary, .segments, .editor")) {
		if (el.checkVisibility() && near(light(rgba(getComputedStyle(el).borderBlockEndColor)), panel(el))) bad.push("border " + el.outerHTML.slice(0, 120));
	}
	for (const el of document.querySelectorAll(".bar-fill, .column-fill")) {
		if (el.checkVisibility() && near(light(rgba(getComputedStyle(el).backgroundColor)), panel(el))) bad.push("bar " + el.outerHTML.slice(0, 120));
	}
	return [...new Set(bad)].slice(0, 8).join("\n");
})()`

// testThemes: dark and light by the system, and by a choice that stays; text can be read.
func testThemes(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	background := `getComputedStyle(document.documentElement).backgroundColor`
	shown := map[string]string{}
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		for _, part := range parts() {
			b.visit(part)
			if bad := eval[string](b, contrast); bad != "" {
				t.Errorf("%s, %s:\n%s", theme, part, bad)
			}
		}
		shown[theme] = eval[string](b, background)
	}
	if shown["light"] == shown["dark"] {
		t.Errorf("both themes are %s", shown["dark"])
	}
	b.click("#theme")
	b.wait("the light theme", background+" === "+quote(shown["light"]))
	check(t, chromedp.Do(b.ctx, chromedp.Reload()))
	b.wait("the chosen theme", background+" === "+quote(shown["light"]))
}

// testNames: what can be used has a name for screen readers, and the page has landmarks.
func testNames(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	used := []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "image", "navigation", "region"}
	for _, part := range parts() {
		b.visit(part)
		tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		check(t, err)
		roles := map[string]int{}
		for _, n := range tree.Nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			role, name := valueOf(n.Role), valueOf(n.Name)
			roles[role]++
			if slices.Contains(used, role) && name == "" {
				t.Errorf("%s: a %s without a name", part, role)
			}
		}
		for _, role := range []string{"banner", "navigation", "main", "contentinfo", "status"} {
			if roles[role] == 0 {
				t.Errorf("%s has no %s", part, role)
			}
		}
		if n := eval[int](b, `document.querySelectorAll("h1").length`); n != 1 {
			t.Errorf("%s has %d main headings", part, n)
		}
	}
}

func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(v.Value.String(), `"`)
}
