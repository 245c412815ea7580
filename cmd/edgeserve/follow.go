// This file connects the follower to the server, whose own checks verify a release before it loads.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/serve/generation"
)

// newFollower claims the directory for the configured store and serves from that directory;
// nil without a store. installed is called after each installed release.
func newFollower(cfg *options, installed func()) (*follow.Follower, error) {
	if cfg.follow.Store == nil {
		return nil, nil
	}
	c := cfg.follow
	c.Dir, c.Logger, c.Check = cfg.Public, cfg.Logger, servable
	c.Installed = func(string) { installed() }
	f, err := follow.New(c)
	if err == nil {
		cfg.Source, cfg.FetchMedia, cfg.Trusted = f, f.FetchMedia, f.Trusted
	}
	return f, err
}

// start follows until ctx ends or stop is called. stop waits for the end.
func start(ctx context.Context, f *follow.Follower) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(crash.Guarded(func() { f.Run(ctx) }))
	return func() { cancel(); running.Wait() }
}

func acceptPointer(ctx context.Context, cfg options, out io.Writer) error {
	c := cfg.follow
	c.Dir = cfg.Public
	a, err := follow.Accept(ctx, c)
	if err != nil {
		return err
	}
	signed := ""
	if a.SignedBy != nil {
		signed = ", signed by " + strings.Join(a.SignedBy, " and ")
	}
	_, err = fmt.Fprintf(out, "accepted: release %s, sequence %d, published %s%s (this node has: release %s, sequence %d)\na running node installs it within seconds, a stopped node when it starts\n",
		a.Pointer.Build, a.Pointer.Sequence, a.Pointer.Published, signed, cmp.Or(a.Build, "none"), a.Sequence)
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
