// These tests open the admin page in a real browser, as an operator does. They skip where no Chromium
// is installed.

package edgeserve

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"contentedge/cmd/browsertest"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/serve/statuspage"
)

// adminTab is a tab at an admin page. It collects what the page asks for and complains about.
type adminTab struct {
	*testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string
}

// openAdmin opens the admin page in a tab, with scripts or without.
func openAdmin(t *testing.T, browser context.Context, admin string, scripts bool) *adminTab {
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &adminTab{T: t, ctx: ctx, base: "http://" + admin}
	b.must(chromedp.Listen(ctx, b.heard))
	b.call(chromedp.Call(ctx, network.Enable, network.EnableParams{}))
	b.call(chromedp.Call(ctx, log.Enable, cdp.Empty{}))
	b.call(chromedp.Call(ctx, cdpruntime.Enable, cdp.Empty{}))
	b.call(chromedp.Call(ctx, page.Enable, page.EnableParams{}))
	b.call(chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	b.call(chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}))
	b.must(chromedp.Do(ctx, chromedp.Navigate(b.base+"/")))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("the browser: %s", p)
		}
	})
	return b
}

func (b *adminTab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// call is must for a call with a result that nobody needs.
func (b *adminTab) call(_ any, err error) {
	b.Helper()
	b.must(err)
}

func (b *adminTab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.base+"/") && !strings.HasPrefix(u, "data:") {
			b.problems = append(b.problems, "a request to another host: "+u)
		}
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text+" "+e.Entry.URL)
	case *cdpruntime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
	case *cdpruntime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *page.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "a dialog: "+e.Message)
	}
}

// inPage evaluates an expression in the page.
func inPage[T any](b *adminTab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *adminTab) waitFor(what, expression string) {
	b.Helper()
	for end := time.Now().Add(patient); !inPage[bool](b, "!!("+expression+")"); {
		if time.Now().After(end) {
			b.Fatalf("never: %s\n%s", what, inPage[string](b, "document.body.innerText"))
		}
		<-time.After(20 * time.Millisecond)
	}
}

func (b *adminTab) look(theme string, width int64) {
	b.Helper()
	b.call(chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}))
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)))
}

// shoot writes a picture of the whole page, if a directory for pictures is named.
func (b *adminTab) shoot(name string) {
	dir := os.Getenv("TEST_CONTENTEDGE_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(90))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".jpg"), picture, 0o644)
	}
	if err != nil {
		b.Errorf("screenshot %s: %v", name, err)
	}
}

// hostileText is markup, if a page takes it for that.
const hostileText = `</code></pre><script>alert(1)</script><img src=x onerror=alert(2)><b>"'` + "\u202e"

// hostileSource is a source of releases whose state is hostile.
type hostileSource struct{}

func (hostileSource) State() any {
	return map[string]any{"store": hostileText, hostileText: true, "lastSuccess": time.Now(), "stale": true}
}

func (hostileSource) Problem() string { return hostileText }

func (hostileSource) WriteMetrics(t *prometheus.Text) {
	t.Family("contentedge_follow_stale", "gauge", "1 while the release is stale.")
	t.Uint(1)
}

// busyHour is the history of a node that had more to do each minute.
func busyHour(h *statuspage.History) {
	start := time.Now().Add(-statuspage.Minutes * time.Minute)
	var text prometheus.Text
	for i := range statuspage.Minutes + 1 {
		n := uint64(600*i + 7*i*i + 2000*(i/20))
		text = prometheus.Text{}
		text.Family("contentedge_http_requests_total", "counter", "")
		text.Uint(40*n, "route", "item", "code", "200")
		text.Uint(n/10, "route", "item", "code", "404")
		text.Uint(9*n, "route", "search", "code", "200")
		text.Uint(n/(100-uint64(i)), "route", "search", "code", "503")
		text.Family("contentedge_cache_misses_total", "counter", "")
		text.Uint(10*n+uint64(i*i*20), "source", "computed")
		text.Family("contentedge_http_request_duration_seconds", "histogram", "")
		for _, route := range []string{"item", "search"} {
			for b, le := range []string{"2.5e-05", "0.0001", "0.001", "0.01", "+Inf"} {
				text.Suffixed("_bucket").Uint(n*uint64(b*b+1), "route", route, "le", le)
			}
		}
		h.Add(start.Add(time.Duration(i)*time.Minute), prometheus.Read(text.Bytes()))
	}
}

// TestAdminPageInBrowser has one browser for all of its tests.
func TestAdminPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is left out of short runs")
	}
	path := browsertest.Find(t)
	s, public, admin, _, _ := startAdminServer(t, func(c *ServerConfig) {
		c.Source = hostileSource{}
		c.Settings = []statuspage.Setting{{Name: "public", Value: hostileText, Source: "flag"}, {Name: "poll", Value: "1s", Source: "default"}}
		c.Versions = []statuspage.Setting{{Name: "Version", Value: "v1.2.3"}}
	})
	busyHour(&s.history)
	slow := s.current.Served.Load().Slow
	for i := range 5 {
		slow.Add(slowlog.Entry{At: time.Now(), Took: time.Duration(i+2) * 100 * time.Millisecond, Steps: 1000 * i, Environment: "demo"}, []byte(esRoot+"?"+hostileText), []byte(`{"query":{"match":{"Name":"`+hostileText+`"}}}`+strings.Repeat(" word", 400*i)))
	}
	s.refusal.Store(&refusal{at: time.Now(), text: hostileText, problems: []string{hostileText, "snapshots/demo: its SHA-256 is not the one in the manifest"}})
	traffic(t, public)
	browser := browsertest.Start(t, path)
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func(*testing.T, bool) *adminTab)
	}{
		{"Figures", func(t *testing.T, open func(*testing.T, bool) *adminTab) { testFigures(t, admin, open) }},
		{"Update", func(t *testing.T, open func(*testing.T, bool) *adminTab) { testUpdate(t, public, open) }},
		{"Texts", testTexts}, {"WithoutScripts", testWithoutScripts}, {"Narrow", testNarrow}, {"Axe", testAxe},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(t, func(t *testing.T, scripts bool) *adminTab { return openAdmin(t, browser, admin, scripts) })
		})
	}
}

// traffic asks for what a node answers and refuses.
func traffic(t *testing.T, public string) {
	for _, c := range [][3]string{
		{"GET", listRoot, ""}, {"GET", listRoot + "?page=2", ""}, {"GET", listRoot + "/Content_1", ""}, {"GET", listRoot + "/Content_9", ""}, {"GET", "/nowhere", ""},
		{"POST", esRoot, `{"query":{"match":{"Name":"x"}}}`}, {"POST", esRoot, `{"query":{"nope":{}}}`}, {"POST", esRoot, `{`},
	} {
		ask(t, public, c[0], c[1], "", c[2])
	}
}

// metricsNow are the samples of /metrics.
func metricsNow(t *testing.T, admin string) prometheus.Samples {
	t.Helper()
	_, text := ask(t, admin, "GET", "/metrics", "", "")
	return prometheus.Read([]byte(text))
}

// sumOf adds up the samples that a selector of PromQL chooses: = of one label, =~ of the first digit of code.
func sumOf(all prometheus.Samples, selector string) (sum float64) {
	name, rest, _ := strings.Cut(strings.TrimSuffix(selector, "}"), "{")
	for _, sample := range all {
		ok := sample.Name == name
		for label := range strings.SplitSeq(rest, ",") {
			if key, value, class := strings.Cut(label, "=~"); class {
				ok = ok && strings.HasPrefix(sample.Label(key), value[1:2])
			} else if key, value, is := strings.Cut(label, "="); is {
				ok = ok && sample.Label(key) == strings.Trim(value, `"`)
			}
		}
		if ok {
			sum += sample.Value
		}
	}
	return sum
}

// testFigures: each figure that the browser shows is between those of /metrics before and after. Where
// nothing happened meanwhile, it is the same.
func testFigures(t *testing.T, admin string, open func(*testing.T, bool) *adminTab) {
	before := metricsNow(t, admin)
	b := open(t, true)
	after := metricsNow(t, admin)
	figures := inPage[[][2]string](b, `[...document.querySelectorAll("data[data-metric]")].map((d) => [d.dataset.metric, d.value])`)
	if len(figures) < 60 {
		t.Errorf("%d figures", len(figures))
	}
	same := 0
	for _, f := range figures {
		var shown float64
		if _, err := fmt.Sscan(f[1], &shown); err != nil {
			t.Errorf("%s: %q", f[0], f[1])
		}
		from, to := sumOf(before, f[0]), sumOf(after, f[0])
		if from == to {
			same++
		}
		moves := strings.HasPrefix(f[0], "go_") || strings.HasPrefix(f[0], "process_") // up and down
		if !moves && (shown < min(from, to) || shown > max(from, to)) || from == to && !moves && shown != from || math.IsNaN(shown) {
			t.Errorf("%s: the page has %g, the metrics %g and %g", f[0], shown, from, to)
		}
	}
	if same < 50 {
		t.Errorf("only %d of %d figures stood still: the comparison says little", same, len(figures))
	}
	if got := inPage[string](b, `document.querySelector("#traffic tbody tr:has(th:first-child) td")?.textContent ?? ""`); got == "" {
		t.Error("the table of requests is empty")
	}
}

// testUpdate: the script brings new figures, leaves open what is open, and can be paused.
func testUpdate(t *testing.T, public string, open func(*testing.T, bool) *adminTab) {
	b := open(t, true)
	const requests = `[...document.querySelectorAll("data")].find((d) => d.dataset.metric === 'contentedge_http_requests_total{route="item"}').value`
	first := inPage[string](b, requests)
	inPage[bool](b, `document.querySelector("#minutes").open = true`)
	inPage[bool](b, `!(window.marked = document.body).hidden`)
	ask(t, public, "GET", listRoot+"/Content_1", "", "")
	inPage[bool](b, `document.dispatchEvent(new Event("visibilitychange"))`) // as when the tab is shown again
	b.waitFor("a new figure", requests+` !== "`+first+`"`)
	if !inPage[bool](b, `document.querySelector("#minutes").open && window.marked === document.body`) {
		t.Error("an update closes what is open, or loads the page anew")
	}
	inPage[bool](b, `document.querySelector("#refresh button").click() || true`)
	if got := inPage[string](b, `document.querySelector("#refresh button").textContent`); got != "Update again" {
		t.Errorf("after a click the button says %q", got)
	}
}

// testTexts: hostile texts are shown as they are, and are no markup.
func testTexts(t *testing.T, open func(*testing.T, bool) *adminTab) {
	b := open(t, true)
	if n := inPage[int](b, `document.querySelectorAll("img, b, script:not([src])").length`); n != 0 {
		t.Errorf("%d elements of hostile texts", n)
	}
	const shown = `</code></pre><script>alert(1)</script><img src=x onerror=alert(2)><b>"'\u202e`
	for _, selector := range []string{"#slow .target", "#slow .body", "#refused li code", "#refused dd:nth-of-type(2)", "#settings td", "#following dd"} {
		if text := inPage[string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent).join("\n")`, selector)); !strings.Contains(text, shown) {
			t.Errorf("%s has %q", selector, text)
		}
	}
	if text := inPage[string](b, `document.querySelector("#slow").textContent`); !strings.Contains(text, "more") || strings.Count(text, " word") > 5*210 {
		t.Errorf("long bodies are not cut: %d bytes", len(text))
	}
	if n := inPage[int](b, `[...document.querySelectorAll("#hour figure path.line[d*=L]")].length`); n < 8 {
		t.Errorf("%d lines in the plots", n)
	}
}

// testWithoutScripts: the page has its figures and plots without scripts.
func testWithoutScripts(t *testing.T, open func(*testing.T, bool) *adminTab) {
	b := open(t, false)
	text, err := chromedp.Run(b.ctx, chromedp.Text("body"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ready: this node serves a release.", "Requests per second", "Load again", "unknown_query", "Slowest searches"} {
		if !strings.Contains(text, want) {
			t.Errorf("without scripts the page lacks %q", want)
		}
	}
	b.look("light", 1280)
	b.shoot("admin-light")
}

// testNarrow: on a phone nothing is wider than the window but tables, which scroll.
func testNarrow(t *testing.T, open func(*testing.T, bool) *adminTab) {
	b := open(t, true)
	b.look("dark", 320)
	b.shoot("admin-narrow")
	if wide := inPage[string](b, `document.documentElement.scrollWidth <= innerWidth ? "" : [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".wide")).map((e) => e.outerHTML.slice(0, 80)).join("\n")`); wide != "" {
		t.Errorf("wider than the window:\n%s", wide)
	}
}

// testAxe: no rule of axe-core is violated, light and dark, wide and narrow, with everything open.
func testAxe(t *testing.T, open func(*testing.T, bool) *adminTab) {
	axe := browsertest.Axe(t)
	b := open(t, true)
	inPage[bool](b, `document.querySelector("#refresh button").click() || true`) // no update in between
	inPage[bool](b, axe)
	inPage[bool](b, `document.querySelectorAll("details").forEach((d) => d.open = true) || true`)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 320} {
			b.look(theme, width)
			if found := inPage[string](b, browsertest.AxeRun); found != "" {
				t.Errorf("%s, %d wide:\n%s", theme, width, found)
			}
		}
	}
	b.shoot("admin-dark")
}
