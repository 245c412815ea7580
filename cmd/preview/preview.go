// This file connects the generator, which builds into a directory, to the edge's server.

package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/cmd/preview/page"
	"contentedge/edgeserve"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/watch"
)

// drainTimeout limits requests in flight at the end: a user waits for the prompt.
const drainTimeout = 500 * time.Millisecond

// silent is above every level that the server logs.
const silent = slog.LevelError + 1

// lists selects those with files in releases that stay; the snapshot serves the rest alike.
const lists = "-"

// preview is a running preview. It runs one build at a time.
type preview struct {
	config  generator.BuildConfig
	session *generator.Session
	server  *edgeserve.Server
	page    *page.Page
	log     requestLog
	level   slog.LevelVar // of the server's log
	console *console

	ctx context.Context // of serve

	building sync.Mutex // held during a build; guards view and returned
	view     page.View
	whole    bool          // a release without wrong files was served: later builds show all of the content, or nothing new
	returned bool          // the memory of the first build was given back
	built    chan struct{} // has a token after a build
	// listeners receive the outcomes of each build, one listener after the other. Builds wait for them.
	listeners []func(outcome)
}

func run(ctx context.Context, o options, c *console) (err error) {
	ln, err := net.Listen(listenaddr.Network(o.addr), o.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &busyError{o.addr}
	}
	if err != nil {
		return err
	}
	defer ln.Close()
	c.url = "http://" + reachable(ln.Addr())
	s, err := openWorkDir(o.out, c.warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok {
		o.origins = o.allOrigins(tcp)
	}
	p, err := newPreview(o, s, c)
	if err != nil {
		return err
	}
	c.address()
	if !private(ln.Addr()) {
		c.warnPublic(ln.Addr())
	}
	if o.open {
		openBrowser(c.url+"/", c.warn)
	}
	return p.serve(ctx, ln)
}

func newPreview(o options, s *workDir, c *console) (*preview, error) {
	p := &preview{config: buildConfig(o, s), console: c, view: o.view(), built: make(chan struct{}, 1)}
	var err error
	if p.session, err = generator.NewSession(p.config); err != nil {
		return nil, err
	}
	p.page = page.New(page.PageConfig{Content: o.content, Origins: o.origins, View: p.view, Site: p.session, Apply: p.apply})
	p.log = requestLog{page: p.page, out: logs.NewBuffer(c), all: o.requests, told: map[string]bool{}}
	p.server, err = edgeserve.New(p.serverConfig(s.out, o))
	p.listeners = []func(outcome){p.tellClients, p.tellPage, c.show} // clients first: then the terminal never runs ahead
	return p, err
}

// buildConfig configures builds. A temporary release has no files of items and lists: for 30,000
// items it builds ten times as fast and is removed in milliseconds, not seconds. A release that
// stays is complete. Removals are not limited: an author sees them at once.
func buildConfig(o options, s *workDir) generator.BuildConfig {
	c := generator.BuildConfig{Content: o.content, Out: s.out, Lists: lists, DateFromFile: true, Removal: generator.Removal{Allow: true}}
	c.SnapshotOnly, c.NoSync = s.temporary(), s.temporary()
	return c
}

// serverConfig is the configuration of a public node with some differences. The log has only
// problems, builds trigger reloads, every response is no-store, pages of other sites may not read
// responses, and each response says the view. It serves a page too.
func (p *preview) serverConfig(dir string, o options) edgeserve.ServerConfig {
	p.level.Set(silent) // without a release, the log would only say so
	cfg := edgeserve.Defaults()
	cfg.Public, cfg.Addr = dir, o.addr
	cfg.Hosts, cfg.Origins = o.names(), o.origins
	cfg.PollInterval, cfg.ListEnvironments = 0, true
	cfg.Cache = release.NoStore()
	cfg.StartTimeout = 0 // the page shows how the first build goes
	cfg.DrainGrace, cfg.DrainTimeout = 0, drainTimeout
	cfg.FastPath = edgeserve.FastPathOff
	cfg.Fallback, cfg.OnResponse = p.page.Serve, p.onResponse
	cfg.Logger = slog.New(slog.NewTextHandler(p.console.err, &slog.HandlerOptions{Level: &p.level}))
	return cfg
}

// serve serves ln and rebuilds on every change until ctx ends or the server fails.
func (p *preview) serve(ctx context.Context, ln net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, crash.Guarded(p.page.Close))()
	p.ctx = ctx
	var building sync.WaitGroup
	building.Go(func() {
		defer crash.Exit()
		watch.Run(ctx, p.config.Content, watch.Options{Skip: hidden, Warn: p.console.warn}, func() { p.rebuild(ctx) })
	})
	building.Go(crash.Guarded(func() { p.followClock(ctx) }))
	defer building.Wait()
	defer stop()
	defer p.log.close()
	return p.server.Serve(ctx, ln)
}

// hidden reports whether changes of a name trigger no build: editors' swap files, directories such
// as .git. Links may lead to names with an underscore, so those trigger builds.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// rebuild builds a release and swaps to it. If that fails, the previous release stays.
func (p *preview) rebuild(ctx context.Context) {
	p.building.Lock()
	defer p.building.Unlock()
	p.build(ctx)
}

func (p *preview) apply(v page.View) {
	p.building.Lock()
	defer p.building.Unlock()
	p.view = v
	p.build(p.ctx)
}

// build is rebuild for a caller that holds p.building.
func (p *preview) build(ctx context.Context) {
	begin := time.Now()
	p.notify(outcome{phase: building})
	view := p.view.Selection(begin)
	view.LeaveOutBad = !p.whole
	report, err := p.session.Build(ctx, view)
	if err == nil {
		p.page.Opening(report.Build)
		p.level.Set(slog.LevelWarn)
		err = p.server.SwapTo(p.config.Out)
		p.whole = p.whole || err == nil && len(report.Bad) == 0
	}
	select {
	case p.built <- struct{}{}:
	default:
	}
	if !p.returned {
		// The first build reads everything, later ones little: what it needed goes back at once.
		p.returned = true
		defer debug.FreeOSMemory()
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.notify(outcome{phase: failed, err: err, took: time.Since(begin)})
	default:
		p.notify(outcome{phase: built, report: report, took: time.Since(begin)})
	}
}

func (p *preview) notify(o outcome) {
	for _, tell := range p.listeners {
		tell(o)
	}
}

func (p *preview) tellClients(o outcome) {
	switch o.phase {
	case built:
		p.server.SetContentError(badFiles(o.report))
	case failed:
		p.server.SetContentError(contentError(o.err))
	}
}

func (p *preview) tellPage(o outcome) {
	switch o.phase {
	case building:
		p.page.Building(p.view)
	case built:
		p.page.Built(o.report, o.took)
	case failed:
		p.page.Failed(o.err, o.took)
	}
}

func (p *preview) onResponse(ctx *fasthttp.RequestCtx, ours bool) {
	if ours {
		p.page.Describe(&ctx.Response.Header)
	}
	if origin, first := p.page.Refused(ctx); first {
		p.log.refused(origin)
	}
	p.log.see(ctx)
}
