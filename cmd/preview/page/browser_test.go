// These tests drive preview's page with a real browser, as a user does. They skip where no
// Chromium is installed.

package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"contentedge/cmd/browsertest"
	"contentedge/cmd/gobuild"
)

// patience is how long a test waits for something that takes milliseconds.
const patience = time.Minute

// screenshots names a directory for pictures of the page.
var screenshots = os.Getenv("TEST_CONTENTEDGE_SCREENSHOTS")

// TestBrowser has one browser for all of its tests: each opens a tab in a profile of its own.
func TestBrowser(t *testing.T) {
	chromium := browsertest.Find(t)
	bin := filepath.Join(t.TempDir(), "preview")
	build := make(chan error, 1)
	go func() { build <- gobuild.Program("preview", bin) }()
	s := &suite{browser: browsertest.Start(t, chromium), bin: bin}
	check(t, <-build)
	t.Run("FirstScreen", func(t *testing.T) { testFirstScreen(t, s) }) // alone: it is timed
	for _, c := range []struct {
		name string
		test func(*testing.T, *suite)
	}{
		{"Content", testContent}, {"Lists", testLists}, {"Item", testItem}, {"CopiedRequest", testCopiedRequest},
		{"QueryString", testQueryString}, {"Form", testForm}, {"Body", testBody}, {"History", testHistory},
		{"Fields", testFields}, {"Builds", testBuilds}, {"Save", testSave}, {"ErrorAndMending", testErrorAndMending},
		{"BrokenAtStart", testBrokenAtStart}, {"LeftOutAtStart", testLeftOutAtStart}, {"Drafts", testDrafts}, {"ViewOfBrokenContent", testViewOfBrokenContent},
		{"Reconnect", testReconnect}, {"Restart", testRestart}, {"Hidden", testHidden}, {"LiveScript", testLiveScript},
		{"HostileContent", testHostileContent}, {"Keyboard", testKeyboard}, {"Narrow", testNarrow}, {"Themes", testThemes},
		{"Names", testNames}, {"Screenshots", testScreenshots}, {"Axe", testAxe}, {"FocusAndBuilds", testFocusAndBuilds},
		{"FocusAfterActions", testFocusAfterActions}, {"Walk", testWalk}, {"Choices", testChoices}, {"Announcements", testAnnouncements},
		{"ManyTabs", testManyTabs}, {"PartWhileDown", testPartWhileDown}, {"RefusedOrigin", testRefusedOrigin},
		{"Rich", testRich}, {"Frames", testFrames}, {"Columns", testColumns}, {"LeftOut", testLeftOut}, {"Reference", testReference},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, s)
		})
	}
}

// suite is what the tests share.
type suite struct {
	browser context.Context
	bin     string
}

// tab is a tab at a preview. It collects what the page asks for and complains about.
type tab struct {
	*testing.T
	ctx  context.Context
	base string
	also string // a second origin that may be asked
	down bool   // requests may fail

	mu       sync.Mutex
	requests []string
	received float64  // bytes of responses
	events   []string // of the preview
	problems []string // errors of the console
}

// open opens a tab at an address. At its end the test fails for an error in the console, and
// for a request to another host.
func (s *suite) open(t *testing.T, base string) *tab {
	return s.openIn(t, base, chromedp.WithNewBrowserContext())
}

// openIn is open in a profile that may have other tabs.
func (s *suite) openIn(t *testing.T, base string, profile chromedp.ContextOption) *tab {
	ctx, end := chromedp.NewContext(s.browser, profile)
	t.Cleanup(end)
	b := &tab{T: t, ctx: ctx, base: base}
	check(t, chromedp.Listen(ctx, b.heard))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	check(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	check(t, err)
	_, err = chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	check(t, err)
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	check(t, err)
	b.size(1280, 800)
	t.Cleanup(b.verdict)
	return b
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// heard collects an event of the browser.
func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventLoadingFinished:
		b.received += e.EncodedDataLength
	case *network.EventEventSourceMessageReceived:
		b.events = append(b.events, e.EventName)
	case *log.EventEntryAdded:
		if !expected(e.Entry) && !(b.down && (e.Entry.Source == log.EntrySourceNetwork || strings.Contains(e.Entry.Text, "CORS policy"))) {
			b.problems = append(b.problems, fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	}
}

// expected reports whether an entry is the browser's own note of a request that the page itself reports. The interface
// refused it, or the view does not show the item. The end of the stream of events is expected too.
func expected(e *log.Entry) bool {
	u, err := url.Parse(e.URL)
	return err == nil && e.Source == log.EntrySourceNetwork && (strings.HasPrefix(u.Path, "/cda/") || u.Path == "/-/events" || hiddenItem.MatchString(u.Path) && strings.Contains(e.Text, "404"))
}

var hiddenItem = regexp.MustCompile(`^/-/api/[^/]+/items/[^/]+$`)

// verdict fails the test for what no page of preview may do.
func (b *tab) verdict() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.Errorf("the console: %s", p)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, b.base+"/") && !strings.HasPrefix(r, "data:") && r != "about:blank" && (b.also == "" || !strings.HasPrefix(r, b.also+"/")) {
			b.Errorf("a request to another host: %s", r)
		}
	}
}

// told reports how many events of a name have arrived.
func (b *tab) told(name string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e == name {
			n++
		}
	}
	return n
}

// asked reports how many requests had a path prefix.
func (b *tab) asked(prefix string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if strings.HasPrefix(r, b.base+prefix) {
			n++
		}
	}
	return n
}

// visit shows a part of the page by its fragment.
func (b *tab) visit(fragment string) {
	b.Helper()
	b.goTo(b.base + "/#" + fragment)
	b.wait("the part", `document.querySelector("#main").dataset.shown === location.hash && !document.querySelector("[aria-busy=true]")`)
}

// goTo loads an address.
func (b *tab) goTo(address string) {
	b.Helper()
	check(b.T, chromedp.Do(b.ctx, chromedp.Navigate(address)))
}

// eval evaluates an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression is true.
func (b *tab) wait(what, expression string) {
	b.Helper()
	end := time.Now().Add(patience)
	for {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("(async () => !!(await ("+expression+")))()", chromedp.EvalAwaitPromise))
		if err == nil && ok {
			return
		}
		if time.Now().After(end) {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 3000)`))
			b.shoot("failed-" + strings.ReplaceAll(b.Name(), "/", "-"))
			b.Fatalf("no %s: %s (%v)\nthe page:\n%s", what, expression, err, text)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// says waits until the element that a selector finds has a text in it.
func (b *tab) says(selector, text string) {
	b.Helper()
	b.wait(fmt.Sprintf("%q in %s", text, selector), fmt.Sprintf(`[...document.querySelectorAll(%s)].some((el) => el.innerText.includes(%s))`, quote(selector), quote(text)))
}

// gone waits until no visible element is found.
func (b *tab) gone(selector string) {
	b.Helper()
	b.wait("end of "+selector, fmt.Sprintf(`![...document.querySelectorAll(%s)].some((el) => el.checkVisibility())`, quote(selector)))
}

// quote is a string in JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// click clicks at the middle of an element, once nothing lies over it. It knows the element by
// its place, as the page may draw it anew meanwhile.
func (b *tab) click(selector string) {
	b.Helper()
	b.wait(selector, fmt.Sprintf(`(() => {
		const el = document.querySelector(%s);
		el?.scrollIntoView({ block: "nearest", behavior: "instant" });
		const r = el?.getClientRects()[0];
		window.clickAt = r && [r.x + r.width / 2, r.y + r.height / 2];
		return r && el.contains(document.elementFromPoint(...window.clickAt));
	})()`, quote(selector)))
	at := eval[[]float64](b, "window.clickAt")
	check(b.T, chromedp.Do(b.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

// link clicks at the link with a text.
func (b *tab) link(text string) {
	b.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("main a")].find((a) => a.textContent.trim() === %s && a.checkVisibility())`, quote(text))
	b.wait("link "+text, find)
	eval[bool](b, find+`.click() || true`)
}

// enter replaces what an input has by typing.
func (b *tab) enter(selector, text string) {
	b.Helper()
	b.click(selector)
	eval[bool](b, fmt.Sprintf(`document.querySelector(%s).select() || true`, quote(selector)))
	b.press(kb.Delete + text)
}

// choose chooses the option of a select.
func (b *tab) choose(selector, value string) {
	b.Helper()
	b.wait(selector, fmt.Sprintf(`document.querySelector(%s)?.querySelector("option[value=" + CSS.escape(%s) + "]")`, quote(selector), quote(value)))
	eval[bool](b, fmt.Sprintf(`(() => { const el = document.querySelector(%s); el.value = %s; return el.dispatchEvent(new Event("change", { bubbles: true })) })()`, quote(selector), quote(value)))
}

// press presses keys where the focus is.
func (b *tab) press(keys string, options ...chromedp.KeyOption) {
	b.Helper()
	check(b.T, chromedp.Do(b.ctx, chromedp.KeyEvent(keys, options...)))
}

// size sets the size of the window.
func (b *tab) size(width, height int64) {
	b.Helper()
	check(b.T, chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
}

// theme makes the system's theme dark or light.
func (b *tab) theme(name string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	check(b.T, err)
}

// allowClipboard lets pages of the tab read and write the clipboard.
func (b *tab) allowClipboard() {
	b.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID})
		check(b.T, err)
	}
}

// shoot writes a picture of the window, if a directory for pictures is named.
func (b *tab) shoot(name string) {
	if screenshots == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		picture, err = shrink(picture)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(screenshots, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.Errorf("screenshot %s: %v", name, err)
	}
}

// texts are the texts of elements.
func (b *tab) texts(selector string) []string {
	b.Helper()
	return eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll(%s)].map((el) => el.innerText.trim())`, quote(selector)))
}

// same compares what a selector finds with texts, waiting for them.
func (b *tab) same(selector string, want ...string) {
	b.Helper()
	w, _ := json.Marshal(want)
	b.wait(fmt.Sprintf("%s with %s", selector, w), fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map((el) => el.innerText.trim())) === JSON.stringify(%s)`, quote(selector), w))
	if got := b.texts(selector); !slices.Equal(got, want) {
		b.Errorf("%s: %q, want %q", selector, got, want)
	}
}
