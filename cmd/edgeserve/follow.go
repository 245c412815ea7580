// This file joins the follower of a store to the server: what arrives is proven by
// opening it as the server does, and then loaded; the operator is told of both.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"contentedge/edgeserve"
	"contentedge/edgeserve/follow"
)

// following is a follower that is to be started; the zero value follows nothing.
type following struct {
	*follow.Follower
	installed func() // called for each release that arrived
}

// newFollowing takes over the directory for the store that cfg names, if any, and makes
// it the source of the server's releases.
func newFollowing(cfg *options) (*following, error) {
	f := &following{}
	if cfg.follow.Store == nil {
		return f, nil
	}
	c := cfg.follow
	c.Dir, c.Logger, c.Check = cfg.Public, cfg.Logger, provable
	c.Installed = func(string) { f.installed() }
	var err error
	if f.Follower, err = follow.New(c); err != nil {
		return nil, err
	}
	cfg.Source = f.Follower
	return f, nil
}

// start follows until ctx ends or the call that it returns is made, which waits.
func (f *following) start(ctx context.Context, server *edgeserve.Server) (stop func()) {
	if f.Follower == nil {
		return func() {}
	}
	f.installed = func() { _ = server.Reload(ctx) } // it logs what it does
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	return func() { cancel(); running.Wait() }
}

// wake asks the store at once.
func (f *following) wake() {
	if f.Follower != nil {
		f.Wake()
	}
}

// acceptPointer makes a node believe the pointer that its store shows now.
func acceptPointer(ctx context.Context, cfg options, out io.Writer) error {
	a, err := follow.Accept(ctx, cfg.follow.Store, cfg.Public)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "accepted: release %s, sequence %d, published %s (here: release %s, sequence %d)\na running node follows it in a moment, a stopped one when it starts\n",
		a.Pointer.Build, a.Pointer.Sequence, a.Pointer.Published, cmp.Or(a.Build, "none"), a.Sequence)
	return err
}

// provable opens a release as the server would, and closes it.
func provable(dir string) error {
	g, err := edgeserve.OpenGeneration(dir)
	if err == nil {
		g.Release()
	}
	return err
}
