// This file drives a browser: a tab at a front end's page, and what it asks a node.

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for something that takes milliseconds.
const patience = 20 * time.Second

// startBrowser starts Chromium, or skips the test.
func startBrowser(t *testing.T, options ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium on this machine: no front end is tested in a browser")
	}
	options = append(append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path)), options...)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	must{t}.error(chromedp.Do(ctx))
	return ctx
}

// tab is a tab. It collects the bodies that the page sends, and what it complains about.
type tab struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	bodies     []string
	preflights int
	problems   []string
}

func openTab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &tab{T: t, ctx: ctx}
	no := must{t}
	no.error(chromedp.Listen(ctx, b.heard))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	no.error(err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	no.error(err)
	_, err = chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	no.error(err)
	no.error(chromedp.Do(ctx, chromedp.EmulateViewport(1280, 1600)))
	t.Cleanup(b.verdict)
	return b
}

// heard collects an event of the browser.
func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.Method == "OPTIONS" {
			b.preflights++
		}
		for _, part := range e.Request.PostDataEntries {
			b.bodies = append(b.bodies, string(part.Bytes))
		}
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			b.problems = append(b.problems, fmt.Sprintf("console.error: %s", quote(e.Args)))
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %s", quote(e.ExceptionDetails)))
	}
}

// verdict fails the test for what no page may do. With -record it writes the searches that the page
// sent, one a line.
func (b *tab) verdict() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.Errorf("the page: %s", p)
	}
	if len(b.bodies) == 0 {
		b.Errorf("the page sent nothing")
	}
	if *record == "" {
		return
	}
	var out bytes.Buffer
	for _, body := range b.bodies {
		for line := range strings.Lines(body + "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, `{"index":`) {
				out.WriteString(line + "\n")
			}
		}
	}
	name := strings.ReplaceAll(b.Name(), "/", "-") + ".jsonl"
	must{b.T}.error(os.WriteFile(filepath.Join(*record, name), out.Bytes(), 0o644))
}

func (b *tab) visit(address string) {
	b.Helper()
	must{b.T}.error(chromedp.Do(b.ctx, chromedp.Navigate(address)))
}

// wait waits until an expression is true.
func (b *tab) wait(what, expression string) {
	b.Helper()
	for end := time.Now().Add(patience); ; {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(end) {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 3000)`))
			b.mu.Lock()
			defer b.mu.Unlock()
			b.Fatalf("no %s: %s (%v)\nthe page:\n%s\nits problems: %q\nits last request: %.3000q", what, expression, err, text, b.problems, b.bodies[max(0, len(b.bodies)-1):])
		}
		<-time.After(10 * time.Millisecond)
	}
}

// says waits until an element that a selector finds has a text in it.
func (b *tab) says(selector, text string) {
	b.Helper()
	b.wait(fmt.Sprintf("%q in %s", text, selector), fmt.Sprintf(`[...document.querySelectorAll(%s)].some((el) => el.innerText.replace(/\s+/g, " ").includes(%s))`, quote(selector), quote(text)))
}

// same waits until the elements that a selector finds have these texts.
func (b *tab) same(selector string, texts ...string) {
	b.Helper()
	b.wait(fmt.Sprintf("%q in %s", texts, selector), fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map((el) => el.innerText.trim())) === JSON.stringify(%s)`, quote(selector), quote(append([]string{}, texts...))))
}

// click clicks at the element of a selector that has a text.
func (b *tab) click(selector, text string) {
	b.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%s)].find((el) => el.innerText.includes(%s))`, quote(selector), quote(text))
	b.wait(text+" at "+selector, find)
	b.eval(find + `.click()`)
}

// enter types into an input.
func (b *tab) enter(selector, text string) {
	b.Helper()
	b.wait(selector, fmt.Sprintf(`document.querySelector(%s)`, quote(selector)))
	b.eval(fmt.Sprintf(`(() => { const el = document.querySelector(%s); el.focus(); el.select() })()`, quote(selector)))
	must{b.T}.error(chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Delete+text)))
}

// choose chooses the option of a select that has a text.
func (b *tab) choose(selector, text string) {
	b.Helper()
	b.eval(fmt.Sprintf(`(() => { const el = document.querySelector(%s); el.value = [...el.options].find((o) => o.innerText === %s).value; el.dispatchEvent(new Event("change", { bubbles: true })) })()`, quote(selector), quote(text)))
}

func (b *tab) eval(expression string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression+`, true`)); err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
}

// quote is a value as JSON.
func quote(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
