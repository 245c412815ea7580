// This file joins the halves: the generator's builds go into a directory, the edge's
// server serves it.

package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"contentedge/edgeserve"
	"contentedge/edgeserve/release"
	"contentedge/generator"
	"contentedge/generator/watch"
)

// drainTimeout is how long requests in flight may take once preview is told to end:
// whoever waits for the prompt to come back is waiting for this.
const drainTimeout = 500 * time.Millisecond

// silent is above every level that the server logs at.
const silent = slog.LevelError + 1

// lists are those that become files. Every other list is answered from the snapshot,
// in the same bytes, and a build for one reader need not write them.
const lists = "-"

// preview is a running preview. Its builds are one at a time.
type preview struct {
	config  generator.Config
	server  *edgeserve.Server
	level   slog.LevelVar // of what the server logs
	console *console
	url     string
}

// run serves until ctx ends.
func run(ctx context.Context, o options, c *console) (err error) {
	ln, err := net.Listen("tcp", o.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &busyError{o.addr}
	}
	if err != nil {
		return err
	}
	defer ln.Close()
	dir, remove, err := scratch(o.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	// An author who removes items sees that at once: nothing needs a guard here.
	config := generator.Config{Content: o.content, Out: dir, Lists: lists, Removal: generator.Removal{Allow: true}}
	p := &preview{config: config, console: c, url: "http://" + reachable(ln.Addr())}
	if p.server, err = edgeserve.New(p.serverConfig(dir, o.addr)); err != nil {
		return err
	}
	if !private(ln.Addr()) {
		c.warnPublic(ln.Addr())
	}
	return p.serve(ctx, ln)
}

// serverConfig is that of a public node but for the log, which tells people of
// problems only, the reload, which comes with each build, and caches: what is seen in a
// preview is kept by nobody.
func (p *preview) serverConfig(dir, addr string) edgeserve.Config {
	p.level.Set(silent) // without a release there is nothing to log but that
	cfg := edgeserve.Defaults()
	cfg.Public, cfg.Addr = dir, addr
	cfg.PollInterval = 0
	cfg.Cache = release.NoStore()
	cfg.DrainTimeout = drainTimeout
	cfg.Logger = slog.New(slog.NewTextHandler(p.console.err, &slog.HandlerOptions{Level: &p.level}))
	return cfg
}

// serve answers on ln and builds on every change until ctx ends or the server fails.
func (p *preview) serve(ctx context.Context, ln net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	var building sync.WaitGroup
	building.Go(func() {
		watch.Run(ctx, p.config.Content, watch.Options{Skip: hidden, Warn: p.console.warn}, func() { p.rebuild(ctx) })
	})
	defer building.Wait()
	defer stop()
	return p.server.Serve(ctx, ln)
}

// hidden tells the names whose changes cause no build: the swap files that editors
// write while somebody types, and directories such as .git. Names with an underscore
// are no content either, but links may lead to them.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// rebuild makes a release of the content as it is now and swaps to it. When that
// fails the release before it stays.
func (p *preview) rebuild(ctx context.Context) {
	begin := time.Now()
	report, err := generator.Build(ctx, p.config)
	if err == nil {
		p.level.Set(slog.LevelWarn)
		err = p.server.Reload(ctx)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.console.failed(p.url, err)
	default:
		p.console.built(p.url, report, time.Since(begin))
	}
}
