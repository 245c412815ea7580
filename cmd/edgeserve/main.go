// Command edgeserve serves a release. This file converts flags to a configuration and
// signals to calls of package edgeserve.
//
// Exit codes: 0 after a drain, 1 for a failure of the machine (such as an address in
// use), 3 for invalid flags.
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
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/logs"
)

const (
	exitFailed = 1
	exitUsage  = 3

	flushTimeout = time.Second
)

func main() {
	defer crash.Exit()
	cfg, logging, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "edgeserve: %v\n", err)
		os.Exit(exitUsage)
	}
	// A closed log pipe must lose lines, not end the server.
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

// closeAccess flushes the access log for a limited time.
func closeAccess(cfg options) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if cfg.AccessLog.Close(ctx) != nil {
		cfg.Logger.Warn("the last lines of the access log are lost, because its reader is blocked", "waited", flushTimeout.String())
	}
}

// run serves until ctx ends. SIGHUP polls the store and reloads the release at once.
func run(ctx context.Context, cfg options) error {
	limitHeap(cfg.memory)
	var server *edgeserve.Server
	reload := func() { _ = server.Reload(ctx) } // Reload logs its errors
	follower, err := newFollower(&cfg, reload)
	if err != nil {
		return err
	}
	if server, err = edgeserve.New(cfg.ServerConfig); err != nil {
		return err
	}
	if follower != nil {
		defer start(ctx, follower)()
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer crash.Exit()
		for range hangup {
			if follower != nil {
				follower.Wake()
			}
			reload()
		}
	}()
	return server.Listen(ctx)
}
