// This file prints requests, if --requests is given, and hints about parameters and fields that have no
// effect.

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/cmd/preview/page"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator/hints"
)

// maxHints bounds the different hints that are printed, as a program that tries names causes many.
const maxHints = 100

// requestLog prints requests and hints. It drops lines if the terminal is too slow.
type requestLog struct {
	page *page.Page
	out  *logs.Buffer
	all  bool // print each request

	mu   sync.Mutex
	told map[string]bool // hints that were printed; guarded by mu
}

func (l *requestLog) see(ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	if len(h.RawHeaders()) == 0 {
		return // no request was read
	}
	if l.all {
		millis := float64(time.Since(ctx.Time()).Microseconds()) / 1000
		fmt.Fprintf(l.out, "%s %s %d %.1f ms\n", logs.Printable(ctx.Method()), logs.Printable(h.RequestURI()), ctx.Response.StatusCode(), millis)
	}
	if ctx.Response.StatusCode() != fasthttp.StatusOK || l.isFull() {
		return
	}
	path, query, _ := strings.Cut(string(h.RequestURI()), "?")
	route, _ := address.ParsePath(path)
	switch route.Kind {
	case address.Contents:
		l.tellIgnored(page.IgnoredParameters(query))
		l.tellUnknown(route.Env, l.page.UnknownPaths(route.Env, query))
	case address.Search:
		l.tellIgnored(page.IgnoredSearchParameters(query))
		if len(h.Peek(httpfield.ContentEncoding)) > 0 {
			return
		}
		l.tellUnknown(route.Env, l.page.UnknownFields(route.Env, ctx.Request.Body()))
	}
}

// refused prints, once for each origin, how its pages may read responses.
func (l *requestLog) refused(origin string) {
	name := logs.Printable([]byte(origin))
	if origin == "null" {
		fmt.Fprintf(l.out, program+": hint: a page without an origin (a file, or a sandboxed frame) was refused; serve it over HTTP\n")
		return
	}
	fmt.Fprintf(l.out, program+": hint: a page of %s was refused; start with --cors-origin %s\n", name, name)
}

func (l *requestLog) close() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	_ = l.out.Close(ctx)
}

func (l *requestLog) tellIgnored(found []hints.Hint) {
	for _, hint := range found {
		l.tell("the parameter "+logs.Printable([]byte(hint.Name))+" is ignored", hint)
	}
}

func (l *requestLog) tellUnknown(env string, found []hints.Hint) {
	for _, hint := range found {
		l.tell("no item of "+env+" has the field "+logs.Printable([]byte(hint.Name)), hint)
	}
}

func (l *requestLog) isFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.told) >= maxHints
}

func (l *requestLog) tell(text string, hint hints.Hint) {
	if hint.Meant != "" {
		text += "; did you mean " + logs.Printable([]byte(hint.Meant)) + "?"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told[text] || len(l.told) >= maxHints {
		return
	}
	l.told[text] = true
	fmt.Fprintf(l.out, program+": hint: %s\n", text)
}
