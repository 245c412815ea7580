// This file connects the follower of a store to the server: the server's own checks
// verify a release, and then the server loads it.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"contentedge/edgeserve"
	"contentedge/edgeserve/follow"
	"contentedge/edgeserve/generation"
)

// following is a follower before its start; the zero value follows nothing.
type following struct {
	*follow.Follower
	installed func() // called after each installed release
}

// newFollowing claims the directory for the configured store, if any, and serves from
// that directory.
func newFollowing(cfg *options) (*following, error) {
	f := &following{}
	if cfg.follow.Store == nil {
		return f, nil
	}
	c := cfg.follow
	c.Dir, c.Logger, c.Check = cfg.Public, cfg.Logger, servable
	c.Installed = func(string) { f.installed() }
	var err error
	if f.Follower, err = follow.New(c); err != nil {
		return nil, err
	}
	cfg.Source = f.Follower
	return f, nil
}

// start follows until ctx ends or stop is called. stop waits for the end.
func (f *following) start(ctx context.Context, server *edgeserve.Server) (stop func()) {
	if f.Follower == nil {
		return func() {}
	}
	f.installed = func() { _ = server.Reload(ctx) } // Reload logs its errors
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	return func() { cancel(); running.Wait() }
}

// wake polls the store at once.
func (f *following) wake() {
	if f.Follower != nil {
		f.Wake()
	}
}

// acceptPointer makes a node trust its store's current pointer.
func acceptPointer(ctx context.Context, cfg options, out io.Writer) error {
	a, err := follow.Accept(ctx, cfg.follow.Store, cfg.Public)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "accepted: release %s, sequence %d, published %s (this node has: release %s, sequence %d)\na running node installs it within seconds, a stopped node when it starts\n",
		a.Pointer.Build, a.Pointer.Sequence, a.Pointer.Published, cmp.Or(a.Build, "none"), a.Sequence)
	return err
}

// servable opens and closes a release as the server does.
func servable(dir string) error {
	g, err := generation.Open(dir)
	if err == nil {
		g.Release()
	}
	return err
}
