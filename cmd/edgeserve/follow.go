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
)

// newFollower claims the directory for the configured store and serves from that directory;
// nil without a store. check verifies a release as the server does, before it is installed. installed is called after
// each installed release.
func newFollower(cfg *options, check func(dir string) error, installed func()) (*follow.Follower, error) {
	if cfg.follow.Store == nil {
		return nil, nil
	}
	c := cfg.follow
	c.Dir, c.Logger, c.Check = cfg.Public, cfg.Logger, check
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
