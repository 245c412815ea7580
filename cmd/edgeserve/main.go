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
	"time"

	"contentedge/edgeserve"
	"contentedge/edgeserve/logs"
)

const (
	exitFailed = 1
	exitUsage  = 3

	flushTimeout = time.Second
)

func main() {
	cfg, logging, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "edgeserve: %v\n", err)
		os.Exit(exitUsage)
	}
	// A log whose reader is gone costs lines, not the server.
	signal.Ignore(syscall.SIGPIPE)
	cfg.Logger = logging.logger(os.Stderr)
	if logging.access {
		cfg.AccessLog = logs.NewAccess(os.Stdout, logging.accessFormat(os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if cfg.accept {
		if err := acceptPointer(ctx, cfg, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "edgeserve: %v\n", err)
			os.Exit(exitFailed)
		}
		return
	}
	err = run(ctx, cfg)
	if logging.access {
		closeAccess(cfg)
	}
	if err != nil {
		cfg.Logger.Error("not serving", "error", err)
		os.Exit(exitFailed)
	}
}

// closeAccess writes the last lines of the access log, but does not wait for ever for
// whoever reads them.
func closeAccess(cfg options) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if cfg.AccessLog.Close(ctx) != nil {
		cfg.Logger.Warn("the end of the access log is lost: its reader does not read", "waited", flushTimeout.String())
	}
}

// run serves until ctx ends; a SIGHUP asks the store and loads the release at once.
func run(ctx context.Context, cfg options) error {
	f, err := newFollowing(&cfg)
	if err != nil {
		return err
	}
	server, err := edgeserve.New(cfg.Config)
	if err != nil {
		return err
	}
	defer f.start(ctx, server)()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		for range hangup {
			f.wake()
			_ = server.Reload(ctx) // it logs what it does
		}
	}()
	return server.Listen(ctx)
}
