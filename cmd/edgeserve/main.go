// Command edgeserve serves a release. This file turns flags into a configuration and
// signals into calls; everything else is package edgeserve.
//
// Exit codes: 0 after a drain, 1 when the machine fails (the address is taken), 3 for
// wrong flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"contentedge/edgeserve"
)

const (
	exitFailed = 1
	exitUsage  = 3
)

func main() {
	cfg, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "edgeserve: %v\n", err)
		os.Exit(exitUsage)
	}
	cfg.Logger = newLogger(os.Stderr)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, cfg); err != nil {
		cfg.Logger.Error("not serving", "error", err)
		os.Exit(exitFailed)
	}
}

// run serves until ctx ends; a SIGHUP loads the release at once.
func run(ctx context.Context, cfg edgeserve.Config) error {
	server, err := edgeserve.New(cfg)
	if err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		for range hangup {
			_ = server.Reload(ctx) // it logs what it does
		}
	}()
	return server.Listen(ctx)
}
