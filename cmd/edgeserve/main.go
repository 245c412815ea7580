// Command edgeserve serves a release. This file converts settings to a configuration and
// signals to calls of package edgeserve.
//
// Exit codes: 0 after a drain, 1 for a failure of the machine (such as an address in
// use), 3 for wrong settings. Of edgeserve health: 0 for a ready server, 1 for any other.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	_ "contentedge/cmd/builtin"
	"contentedge/cmd/cli"
	"contentedge/edgeserve"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/fdlimit"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/terminal"
)

const flushTimeout = time.Second

func main() {
	defer crash.Exit()
	// A closed log pipe must lose lines, not end the server.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go endOnSecond(signals)
	// Before all else: until a signal has a channel, SIGHUP ends the program.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	out, problems := &terminal.Writer{Out: os.Stdout}, &terminal.Writer{Out: os.Stderr}
	start := func(ctx context.Context, o *options) error { return serve(ctx, o, hangups, out) }
	err := newProgram(out, problems, os.Environ(), start).Run(ctx, os.Args[1:])
	stop()
	os.Exit(finish(err, problems))
}

// endOnSecond ends the program on a second signal. As process 1 of a container it has no default
// action of the kernel.
func endOnSecond(signals <-chan os.Signal) {
	defer crash.Exit()
	<-signals
	<-signals
	fmt.Fprintln(os.Stderr, program+": a second signal: ending with requests in flight")
	os.Exit(exitcode.Machine)
}

// errReported is an error that the log has.
var errReported = errors.New("not serving")

// finish prints an error and returns the exit status.
func finish(err error, w io.Writer) int {
	if err == nil {
		return exitcode.OK
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(w, program+": %s\n", terminal.Error(err))
	}
	if _, ok := errors.AsType[*cli.UsageError](err); ok {
		return exitcode.Usage
	}
	return exitcode.Machine
}

// serve serves, or does the one action that the options ask for.
func serve(ctx context.Context, o *options, hangups <-chan os.Signal, out io.Writer) error {
	if o.accept {
		return acceptPointer(ctx, *o, out)
	}
	if o.logging.access {
		// The formats escape all but commands.
		o.AccessLog = logs.NewAccess(&terminal.Writer{Out: os.Stdout, Source: true}, o.logging.accessFormat(os.Stdout))
		defer closeAccess(*o)
	}
	if err := run(ctx, *o, hangups); err != nil {
		o.Logger.Error("not serving", "error", err)
		return errReported
	}
	return nil
}

// closeAccess flushes the access log for a limited time.
func closeAccess(cfg options) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if cfg.AccessLog.Close(ctx) != nil {
		cfg.Logger.Warn("the last lines of the access log are lost, because its reader is blocked", "waited", flushTimeout.String())
	}
}

// run serves until ctx ends. SIGHUP reads the trust file again, polls the store and reloads the release at once.
func run(ctx context.Context, cfg options, hangups <-chan os.Signal) error {
	limitHeap(cfg.memory)
	if limit, ok := fdlimit.Find(); ok {
		fitDescriptors(&cfg.ServerConfig, limit)
	}
	if cfg.closeCluster != nil {
		spareHeap(cfg.memory)
		defer cfg.closeCluster()
	}
	if !cfg.Profiling {
		runtime.MemProfileRate = 0 // no request can ask for a profile: sample no allocations
	}
	var server *edgeserve.Server
	reload := func() { _ = server.Reload(ctx) } // Reload logs its errors
	check := func(dir string) error { return server.Check(dir) }
	follower, err := newFollower(&cfg, check, reload)
	if err != nil {
		return err
	}
	if err := meetManager(&cfg.ServerConfig); err != nil {
		return err
	}
	if server, err = edgeserve.New(cfg.ServerConfig); err != nil {
		return err
	}
	if follower != nil {
		defer start(ctx, follower)()
	}
	go func() {
		defer crash.Exit()
		for range hangups {
			if follower != nil {
				_ = follower.ReloadTrust() // logs its errors
				follower.Wake()
			}
			_ = server.ReloadForManager(ctx)
		}
	}()
	return server.Listen(ctx)
}
