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

// lists are those that become files where releases stay. Every other list is answered from
// the snapshot, in the same bytes, and a build for one reader need not write them.
const lists = "-"

// preview is a running preview. Its builds are one at a time.
type preview struct {
	config  generator.Config
	server  *edgeserve.Server
	level   slog.LevelVar // of what the server logs
	console *console
	// readers are told of each build's outcomes, in order and one after the other. Builds
	// wait for them.
	readers []func(outcome)
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
	c.url = "http://" + reachable(ln.Addr())
	s, err := openScratch(o.out, c.warn)
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
	if !private(ln.Addr()) {
		c.warnPublic(ln.Addr())
	}
	return p.serve(ctx, ln)
}

// newPreview makes a preview that builds into a scratch directory.
func newPreview(o options, s *scratch, c *console) (*preview, error) {
	p := &preview{config: buildConfig(o, s), console: c}
	var err error
	p.server, err = edgeserve.New(p.serverConfig(s.out, o))
	p.readers = []func(outcome){p.tellClients, c.tell} // who reads the terminal finds clients told
	return p, err
}

// buildConfig is that of a build that one server reads. A release that goes with this run
// has no files of items and lists: with 30,000 items it is built in a tenth of the time,
// and removing it takes milliseconds instead of seconds. One that stays is whole. An
// author who removes items sees that at once: no guard stands in the way.
func buildConfig(o options, s *scratch) generator.Config {
	c := generator.Config{Content: o.content, Out: s.out, Lists: lists, Removal: generator.Removal{Allow: true}}
	c.SnapshotOnly, c.NoSync = s.passing(), s.passing()
	return c
}

// serverConfig is that of a public node but for the log, which tells people of
// problems only, the reload, which comes with each build, and who may read along: what is
// seen in a preview is kept by no cache, and shown to no page of another site.
func (p *preview) serverConfig(dir string, o options) edgeserve.Config {
	p.level.Set(silent) // without a release there is nothing to log but that
	cfg := edgeserve.Defaults()
	cfg.Public, cfg.Addr = dir, o.addr
	cfg.Hosts, cfg.Origins = o.names(), o.origins
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
	p.tell(outcome{phase: building})
	report, err := generator.Build(ctx, p.config)
	if err == nil {
		p.level.Set(slog.LevelWarn)
		err = p.server.Reload(ctx)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.tell(outcome{phase: failed, err: err})
	default:
		p.tell(outcome{phase: built, report: report, took: time.Since(begin)})
	}
}

// tell passes an outcome on to all readers.
func (p *preview) tell(o outcome) {
	for _, read := range p.readers {
		read(o)
	}
}

// tellClients has responses say what is wrong, until a build succeeds.
func (p *preview) tellClients(o outcome) {
	switch o.phase {
	case built:
		p.server.SetContentError(nil)
	case failed:
		p.server.SetContentError(contentError(o.err))
	}
}
